// Endgame tables of English draughts: proof that finished tables are right.
//
// A table is right if every value is what the values behind the position's moves make it: then, from the
// shortest distance to the longest, no win, loss or draw can be another. This looks forward only, move
// by move and hop by hop, and shares no more with the builder than the steps and jumps of the board.
#pragma once

#include "tablebase.hpp"

namespace boardwright::draughts {

struct Verification {
    std::uint64_t positions = 0;
    std::uint64_t wrong_values = 0;
    int wrong_counts = 0;  // slices whose file gives other numbers of wins, draws and losses
};

class TableVerifier {
  public:
    TableVerifier(const Tablebase& tables, int threads)
        : tables_(tables), threads_(threads), values_(Material::kCodes) {}

    // Every position to so many pieces. Throws what tick() throws.
    template <class Tick>
    Verification verify(int pieces, Tick&& tick) {
        Verification report;
        for (int count = 2; count <= pieces; ++count) {
            std::vector<Material> materials;
            for (const Material& material : materials_in_order(count)) {
                materials.push_back(material);
                if (material != material.turned()) materials.push_back(material.turned());
            }
            for (const Material& material : materials) fill_in(material, tick);
            for (const Material& material : materials) check(material, report, tick);
        }
        return report;
    }

  private:
    // What the mover's best move comes to: with signs, wins above draws above losses, the quicker win and
    // the later loss above others. A score of 0 is a draw.
    static constexpr int kScale = 1000;
    static int score(Value value) { return value == kDrawn ? 0 : value % 2 == 1 ? kScale - value : value - kScale; }
    static Value unscored(int score) {
        return score == 0 ? kDrawn : static_cast<Value>(score > 0 ? kScale - score : score + kScale);
    }

    int score_behind(const Board& after) const {
        if (after.pieces[1] == 0) return kScale - 1;
        const Board seen = turned(after);
        const Material material = Material::of(seen);
        const int enemy = score(values_[material.code()][tables_.slice(material)->index().number(seen)]);
        return enemy > 0 ? 1 - enemy : enemy < 0 ? -enemy - 1 : 0;
    }

    // Plays every jump of some pieces, and goes on with the piece that jumped while it can.
    int best_capture(const Board& board, Bits movers) const {
        int best = -kScale;
        const auto jumps = all_jumpers(board, 0);
        for (int direction = 0; direction < 4; ++direction) {
            for (Bits from = jumps[direction] & movers; from; from &= from - 1) {
                Board after = board;
                bool crowned = false;
                const Bits to = hop(after, 0, from & -from, direction, true, &crowned);
                const auto again = all_jumpers(after, 0);
                const bool goes_on = !crowned && ((again[0] | again[1] | again[2] | again[3]) & to);
                best = std::max(best, goes_on ? best_capture(after, to) : score_behind(after));
            }
        }
        return best;
    }

    int best_step(const Board& board, const Origins& moves) const {
        int best = -kScale;
        for (int direction = 0; direction < 4; ++direction) {
            for (Bits from = moves.from[direction]; from; from &= from - 1) {
                Board after = board;
                bool crowned = false;
                hop(after, 0, from & -from, direction, false, &crowned);
                best = std::max(best, score_behind(after));
            }
        }
        return best;
    }

    // Visits every position of a slice on several threads.
    template <class Visit, class Tick>
    void each_position(const Material& material, Visit&& visit, Tick&& tick) const {
        const SliceIndex& index = tables_.slice(material)->index();
        in_parallel(index.size(), 1 << 14, threads_, [&](std::uint64_t first, std::uint64_t last) {
            SliceWalk walk(index, first);
            for (std::uint64_t number = first; number < last; ++number, walk.advance()) {
                if (!walk.at_gap()) visit(number, walk.board());
            }
        }, tick);
    }

    // The values a file holds, and those it leaves to a search.
    template <class Tick>
    void fill_in(const Material& material, Tick&& tick) {
        std::vector<Value>& values = values_[material.code()];
        values = tables_.slice(material)->read_all(threads_).values;
        each_position(material, [&](std::uint64_t number, const Board& board) {
            const Origins moves = origins(board, 0);
            if (!moves.any()) values[number] = 0;
            if (moves.jumps) values[number] = unscored(best_capture(board, board.pieces[0]));
        }, tick);
    }

    template <class Tick>
    void check(const Material& material, Verification& report, Tick&& tick) {
        const std::vector<Value>& values = values_[material.code()];
        std::atomic<std::uint64_t> wrong{0};
        each_position(material, [&](std::uint64_t number, const Board& board) {
            const Origins moves = origins(board, 0);
            const int best = moves.jumps ? best_capture(board, board.pieces[0]) : best_step(board, moves);
            if (values[number] != unscored(best)) ++wrong;
        }, tick);
        const SliceCounts counted = count_values(values);
        report.positions += counted.positions;
        report.wrong_values += wrong;
        report.wrong_counts += counted != tables_.slice(material)->counts();
    }

    const Tablebase& tables_;
    const int threads_;
    std::vector<std::vector<Value>> values_;
};

}  // namespace boardwright::draughts
