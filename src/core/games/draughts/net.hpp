// The evaluation network of draughts: a small net that scores the leaves of alpha-beta.
//
// Two layers with a clipped ReLU, clamp(x, 0, 1), over the pieces as the mover sees them; the layers after the
// first have separate weights for each phase of the game, given by the number of pieces. See docs/reference/nets.md.
//
// Called millions of times per second, so the first layer is a table lookup per row of four squares (5^4 entries).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "games/draughts/board.hpp"

namespace boardwright::draughts {

// The weights as net files hold them, row by row; the layers after the first have the phases as their first axis.
// The caller checks that sizes are within the limits of EvaluationNet.
struct EvaluationWeights {
    int width = 0, hidden = 0, phases = 0;
    std::span<const float> features_kernel;  // [8 rows x 8 columns x 4 planes, width]
    std::span<const float> features_bias;    // [width]
    std::span<const float> hidden_kernel;    // [phases, width, hidden]
    std::span<const float> hidden_bias;      // [phases, hidden]
    std::span<const float> output_kernel;    // [phases, hidden]
    std::span<const float> output_bias;      // [phases]
};

class EvaluationNet {
  public:
    static constexpr int kKinds = 4;  // own men, own kings, enemy men, enemy kings
    static constexpr int kCells = 64;
    static constexpr int kMaxWidth = 1024, kMaxHidden = 256, kMaxPhases = 24, kMaxPieces = 24;

    explicit EvaluationNet(const EvaluationWeights& weights)
        : width_(rounded_up(weights.width)), hidden_(rounded_up(weights.hidden)), phases_(weights.phases) {
        fill_rows(weights);
        // Padded units are always 0.
        hidden_kernel_.assign(static_cast<std::size_t>(phases_ * width_ * hidden_), 0.0f);
        hidden_bias_.assign(static_cast<std::size_t>(phases_ * hidden_), 0.0f);
        output_kernel_ = hidden_bias_;
        output_bias_.assign(weights.output_bias.begin(), weights.output_bias.end());
        for (int phase = 0; phase < phases_; ++phase) {
            for (int unit = 0; unit < weights.width; ++unit) {
                std::copy_n(&weights.hidden_kernel[at(phase * weights.width + unit, weights.hidden)], weights.hidden,
                            &hidden_kernel_[at(phase * width_ + unit, hidden_)]);
            }
            std::copy_n(&weights.hidden_bias[at(phase, weights.hidden)], weights.hidden,
                        &hidden_bias_[at(phase, hidden_)]);
            std::copy_n(&weights.output_kernel[at(phase, weights.hidden)], weights.hidden,
                        &output_kernel_[at(phase, hidden_)]);
        }
    }

    // Score of the position for the role to move; its hyperbolic tangent is the expected result.
    float output(const Board& board, int to_move) const {
        std::array<float, kMaxWidth> units;
        first_layer(board, to_move, units.data());
        const int pieces = std::popcount(board.occupied());
        const int phase = std::min((std::max(pieces, 1) - 1) * phases_ / kMaxPieces, phases_ - 1);
        const float* bias = &hidden_bias_[at(phase, hidden_)];
        const float* last = &output_kernel_[at(phase, hidden_)];
        float answer = output_bias_[phase];
        for (int first = 0; first < hidden_; first += kBlockUnits) {
            Four a = four(bias + first), b = four(bias + first + 4), c = four(bias + first + 8),
                 d = four(bias + first + 12);
            const float* from = &hidden_kernel_[at(phase * width_, hidden_)] + first;
            // Zero units are not skipped: the branch is too hard to predict to pay off.
            for (int i = 0; i < width_; ++i, from += hidden_) {
                a += units[i] * four(from);
                b += units[i] * four(from + 4);
                c += units[i] * four(from + 8);
                d += units[i] * four(from + 12);
            }
            for (int i = 0; i < 4; ++i) {
                answer += clipped(a[i]) * last[first + i] + clipped(b[i]) * last[first + 4 + i] +
                          clipped(c[i]) * last[first + 8 + i] + clipped(d[i]) * last[first + 12 + i];
            }
        }
        return answer;
    }

  private:
    // Four numbers in one register. GCC and Clang know this type on every processor; from a plain loop over sixteen
    // sums GCC 12 makes code that takes twice as long.
    using Four = float __attribute__((vector_size(16)));
    static constexpr int kBlockUnits = 16;  // second-layer units whose sums stay in registers; sizes are padded to it
    static constexpr int kRows = 8, kPatterns = 625;

    static constexpr int rounded_up(int size) { return (size + kBlockUnits - 1) / kBlockUnits * kBlockUnits; }
    static constexpr std::size_t at(int row, int length) { return static_cast<std::size_t>(row) * length; }
    static Four four(const float* from) {
        Four numbers;
        std::memcpy(&numbers, from, sizeof numbers);
        return numbers;
    }
    static constexpr float clipped(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

    // The digits 0 and 1 of a number to base 5, from the four bits of a row; a turned row is read from its other end.
    static constexpr std::array<std::array<int, 16>, 2> kDigits = [] {
        std::array<std::array<int, 16>, 2> digits{};
        constexpr std::array<int, 4> power{1, 5, 25, 125};
        for (int bits = 0; bits < 16; ++bits) {
            for (int square = 0; square < 4; ++square) {
                if (bits >> square & 1) {
                    digits[0][bits] += power[square];
                    digits[1][bits] += power[3 - square];
                }
            }
        }
        return digits;
    }();

    void first_layer(const Board& board, int to_move, float* units) const {
        const std::array<Bits, kKinds> kinds{board.men(to_move), board.kings_of(to_move), board.men(1 - to_move),
                                             board.kings_of(1 - to_move)};
        const bool turned = to_move == kBlack;
        const auto& digits = kDigits[turned];
        std::array<const float*, kRows> row;
        for (int seen = 0; seen < kRows; ++seen) {
            const int shift = 4 * (turned ? kRows - 1 - seen : seen);
            int pattern = 0;
            for (int kind = 0; kind < kKinds; ++kind) pattern += (kind + 1) * digits[kinds[kind] >> shift & 15];
            row[seen] = &rows_[at(seen * kPatterns + pattern, width_)];
        }
        for (int i = 0; i < width_; ++i) {
            units[i] = clipped(((row[0][i] + row[1][i]) + (row[2][i] + row[3][i])) +
                               ((row[4][i] + row[5][i]) + (row[6][i] + row[7][i])));
        }
    }

    // The input of the first layer from every pattern of every row as the mover sees it: pattern p has kind
    // p / 5^square % 5 - 1 on its squares, -1 for an empty one. The first row includes the bias.
    void fill_rows(const EvaluationWeights& weights) {
        rows_.assign(at(kRows * kPatterns, width_), 0.0f);
        for (int row = 0; row < kRows; ++row) {
            for (int pattern = 0; pattern < kPatterns; ++pattern) {
                float* sum = &rows_[at(row * kPatterns + pattern, width_)];
                if (row == 0) std::copy(weights.features_bias.begin(), weights.features_bias.end(), sum);
                for (int square = 0, rest = pattern; square < 4; ++square, rest /= 5) {
                    if (rest % 5 == 0) continue;
                    const int cell = row * 8 + 2 * square + (row % 2 == 0 ? 1 : 0);
                    const float* from = &weights.features_kernel[at(cell * kKinds + rest % 5 - 1, weights.width)];
                    for (int i = 0; i < weights.width; ++i) sum[i] += from[i];
                }
            }
        }
    }

    int width_, hidden_, phases_;       // units padded
    std::vector<float> rows_;           // [rows, patterns, width]
    std::vector<float> hidden_kernel_;  // [phases, width, hidden]
    std::vector<float> hidden_bias_;    // [phases, hidden]
    std::vector<float> output_kernel_;  // [phases, hidden]
    std::vector<float> output_bias_;    // [phases]
};

}  // namespace boardwright::draughts
