// Static evaluation and move ordering of draughts.
#pragma once

#include <cmath>

#include "games/draughts/net.hpp"
#include "games/draughts/rules.hpp"
#include "search/evaluation.hpp"
#include "tablebase/tables.hpp"

namespace boardwright {

template <>
class Evaluator<Draughts> {
  public:
    using State = Draughts::State;
    using Bits = draughts::Bits;
    using Board = draughts::Board;
    static constexpr double kScale = 250;

    // The features of the score: Black's count less White's.
    enum Feature {
        kMen,
        kKings,
        kBackRank,      // men still on their own first row
        kBridge,        // first and third square of it held together: the usual guard against kings
        kTempo,         // rows the men have advanced
        kCentre,        // pieces on the eight central squares
        kEdge,          // pieces on the side edges, where they cannot be taken and do little
        kRunaways,      // men with nothing before them to stop them
        kTrappedKings,  // kings that have no step
        kKingCentre,    // kings on the central squares
        kDogHole,       // men shut in on the enemy's first row corner (28 for Black, 5 for White)
        kMoves,         // steps available
        kSwap,          // material difference, the more the fewer pieces are left
        kToMove,        // 1 for Black to move, -1 for White
        kFeatures
    };
    using Features = std::array<int, kFeatures>;
    // With all 24 pieces, and with none: between them the weight changes with the number of pieces. Fitted to the
    // results of self-play games by logistic regression, regularised towards textbook values and rounded by hand.
    static constexpr Features kFull{100, 130, 30, -5, -2, 0, -1, 15, -10, -10, -10, 1, 1, 0};
    static constexpr Features kEmpty{104, 130, 20, 30, 4, -5, -8, 30, -10, 6, -80, 2, 7, 0};

    // Without a net the score is a weighted sum of the features; without tables no result is proven.
    Evaluator(const Draughts& game, std::shared_ptr<const draughts::Tablebase> tables,
              std::shared_ptr<const draughts::EvaluationNet> net)
        : game_(&game), tables_(std::move(tables)), net_(std::move(net)) {
        if (tables_) prober_ = std::make_unique<draughts::Prober>(*tables_);
    }
    Evaluator(const Evaluator& other) : Evaluator(*other.game_, other.tables_, other.net_) {}
    Evaluator(Evaluator&&) = default;

    const Draughts& game() const { return *game_; }

    Features features(const State& state) const {
        Features f{};
        const Board& board = state.board;
        const auto each = [&](Feature feature, auto&& count) {
            f[feature] = count(draughts::kBlack) - count(draughts::kWhite);
        };
        each(kMen, [&](int role) { return std::popcount(board.men(role)); });
        each(kKings, [&](int role) { return std::popcount(board.kings_of(role)); });
        each(kBackRank, [&](int role) { return std::popcount(board.men(role) & draughts::crown_row(1 - role)); });
        each(kBridge, [&](int role) { return int{(board.men(role) & kBridges[role]) == kBridges[role]}; });
        each(kTempo, [&](int role) { return tempo(board.men(role), role); });
        each(kCentre, [&](int role) { return std::popcount(board.men(role) & kMiddle); });
        each(kEdge, [&](int role) { return std::popcount(board.pieces[role] & kSides); });
        each(kRunaways, [&](int role) { return runaways(board, role); });
        each(kTrappedKings, [&](int role) {
            return std::popcount(board.kings_of(role) & ~draughts::union_of(draughts::all_steppers(board, role)));
        });
        each(kKingCentre, [&](int role) { return std::popcount(board.kings_of(role) & kMiddle); });
        each(kDogHole, [&](int role) {
            return int{(board.men(role) & kHoles[role]) && (board.men(1 - role) & kHoleKeepers[role])};
        });
        each(kMoves, [&](int role) { return draughts::total_of(draughts::all_steppers(board, role)); });
        const int pieces = std::popcount(board.occupied());
        f[kSwap] = 24 * (2 * f[kMen] + 3 * f[kKings]) / std::max(pieces, 1);
        f[kToMove] = state.to_move == draughts::kBlack ? 1 : -1;
        return f;
    }

    int value(const State& state) const {
        if (net_) return static_score(net_->output(state.board, state.to_move));
        const Features f = features(state);
        const int pieces = std::popcount(state.board.occupied());
        int full = 0, empty = 0;
        for (int i = 0; i < kFeatures; ++i) {
            full += f[i] * kFull[i];
            empty += f[i] * kEmpty[i];
        }
        const int score = (full * pieces + empty * (24 - pieces)) / 24;
        return state.to_move == draughts::kBlack ? score : -score;
    }

    std::uint64_t key(const State& state) const {
        return state.hash ^ near_limit(state.quiet, game_->rules().max_quiet_plies) ^
               near_limit(state.plies, game_->rules().max_plies) * 3;
    }

    void list(const State& state, ActionList& actions) const {
        const Bits crowning = draughts::crown_row(state.to_move);
        for (int direction = 0; direction < 4; ++direction) {
            for (Bits from = state.moving.from[direction]; from; from &= from - 1) {
                const Bits piece = from & -from;
                std::int32_t order = 0;
                if (state.moving.jumps) {
                    order = kSharp + ((state.board.kings & draughts::step(piece, direction)) ? 1 : 0);
                } else if (!(state.board.kings & piece) && (draughts::step(piece, direction) & crowning)) {
                    order = 1 << 18;
                }
                actions.push_back({std::countr_zero(piece) * 4 + direction, order});
            }
        }
    }

    void list_sharp(const State& state, ActionList& actions) const {
        if (state.moving.jumps) list(state, actions);
    }

    void list_winning(const State&, ActionList&) const {}
    bool is_forced(const State& state) const { return state.moving.jumps; }
    bool repeats_to_draw() const { return true; }

    // Won and lost positions of the tables rank below wins seen to the end: the tables do not know how
    // many moves the rules of a match still allow.
    std::optional<int> known(const State& state, int ply) {
        if (!prober_ || std::popcount(state.board.occupied()) > tables_->pieces()) return std::nullopt;
        const Board board = state.to_move == draughts::kBlack ? state.board : draughts::turned(state.board);
        const Bits continuing =
            state.to_move == draughts::kBlack ? state.continuing : draughts::turned(state.continuing);
        const draughts::Value value = continuing ? prober_->value_in_capture(board, continuing) : prober_->value(board);
        if (value == draughts::kDrawn) return 0;
        const int score = kTableWin - static_cast<int>(value) - ply;
        return draughts::outcome(value) == draughts::Outcome::kWin ? score : -score;
    }

  private:
    static constexpr int kTableWin = kDecided - 1000;
    static constexpr Bits kMiddle = 0x00666600;  // 10 11 14 15 18 19 22 23
    static constexpr Bits kSides = 0x18181818;   // 4 5 12 13 20 21 28 29
    static constexpr std::array<Bits, 2> kBridges{0x00000005, 0xA0000000};  // 1 3; 30 32
    static constexpr std::array<Bits, 2> kHoles{Bits{1} << 27, Bits{1} << 4};         // 28; 5
    static constexpr std::array<Bits, 2> kHoleKeepers{Bits{1} << 31, Bits{1}};        // 32; 1

    // The score of the net, scaled by kScale.
    static int static_score(float output) {
        constexpr float most = kMaxStatic - 1;
        const float score = output * static_cast<float>(kScale);
        return static_cast<int>(std::lround(score > -most ? (score < most ? score : most) : -most));
    }

    static int tempo(Bits men, int role) {
        int rows = 0;
        for (int row = 1; row < 8; ++row) {
            const Bits there = Bits{0xF} << (4 * (role == draughts::kBlack ? row : 7 - row));
            rows += row * std::popcount(men & there);
        }
        return rows;
    }

    // The squares one step ahead of a set of squares, as the men of `role` move.
    static Bits steps_forward(Bits squares, int role) {
        return role == draughts::kBlack ? draughts::step<2>(squares) | draughts::step<3>(squares)
                                        : draughts::step<0>(squares) | draughts::step<1>(squares);
    }

    // Men whose every square ahead, as far as they could ever get, is empty.
    static int runaways(const Board& board, int role) {
        Bits blocked = board.occupied();  // grows backwards: a man that may run into it is not free
        for (int row = 0; row < 7; ++row) blocked |= steps_forward(blocked, 1 - role);
        int free = 0;
        for (Bits men = board.men(role); men; men &= men - 1) {
            const Bits ahead = steps_forward(men & -men, role);
            free += (ahead & blocked) == 0 && ahead != 0;
        }
        return free;
    }

    const Draughts* game_;
    std::shared_ptr<const draughts::Tablebase> tables_;
    std::shared_ptr<const draughts::EvaluationNet> net_;
    std::unique_ptr<draughts::Prober> prober_;  // one reader per thread
};

}  // namespace boardwright
