#include "tablebase/verify.hpp"

#include <atomic>

namespace boardwright::draughts {
namespace {

class Verifier {
  public:
    Verifier(const Tablebase& tables, int threads, const Tick& tick)
        : tables_(tables), threads_(threads), tick_(tick), values_(Material::kCodes) {}

    Verification verify(int pieces) {
        Verification report;
        for (int count = 2; count <= pieces; ++count) {
            for (const Material& material : slices_in_order(count)) fill_in(material);
            for (const Material& material : slices_in_order(count)) check(material, report);
        }
        return report;
    }

  private:
    // The value of the mover's best move as a signed score: wins above draws above losses, quicker wins and
    // later losses above others. 0 is a draw.
    static constexpr int kScale = 1000;
    static int score(Value value) { return value == kDrawn ? 0 : value % 2 == 1 ? kScale - value : value - kScale; }
    static Value value_of_score(int score) {
        return score == 0 ? kDrawn : static_cast<Value>(score > 0 ? kScale - score : score + kScale);
    }

    int score_after(const Board& after) const {
        if (after.pieces[1] == 0) return kScale - 1;
        const Board seen = turned(after);
        const Material material = Material::of(seen);
        const int enemy = score(values_[material.code()][tables_.slice(material)->index().number(seen)]);
        return enemy > 0 ? 1 - enemy : enemy < 0 ? -enemy - 1 : 0;
    }

    // Plays every hop, and jumps again with the same piece while it can.
    int best_move(const Board& board, const Origins& moves) const {
        int best = -kScale;
        for (int direction = 0; direction < 4; ++direction) {
            for (Bits from = moves.from[direction]; from; from &= from - 1) {
                Board after = board;
                const auto [to, crowned] = hop(after, 0, from & -from, direction, moves.jumps);
                Origins again;
                if (moves.jumps && !crowned) again = {all_jumpers(after, 0), true};
                for (Bits& jumpers : again.from) jumpers &= to;
                best = std::max(best, again.any() ? best_move(after, again) : score_after(after));
            }
        }
        return best;
    }

    // Visits every position of a slice on several threads.
    template <class Visit>
    void each_position(const Material& material, Visit&& visit) const {
        const SliceIndex& index = tables_.slice(material)->index();
        in_parallel(index.size(), 1 << 14, threads_, tick_, [&](std::uint64_t first, std::uint64_t last) {
            SliceWalk walk(index, first);
            for (std::uint64_t number = first; number < last; ++number, walk.advance()) {
                if (!walk.at_gap()) visit(number, walk.board());
            }
        });
    }

    // The values a file holds, and those it leaves to a search.
    void fill_in(const Material& material) {
        std::vector<Value>& values = values_[material.code()];
        values = tables_.slice(material)->read_all(threads_).values;
        each_position(material, [&](std::uint64_t number, const Board& board) {
            const Origins moves = origins(board, 0);
            if (!moves.any()) values[number] = 0;
            if (moves.jumps) values[number] = value_of_score(best_move(board, moves));
        });
    }

    void check(const Material& material, Verification& report) {
        const std::vector<Value>& values = values_[material.code()];
        std::atomic<std::uint64_t> wrong{0};
        each_position(material, [&](std::uint64_t number, const Board& board) {
            if (values[number] != value_of_score(best_move(board, origins(board, 0)))) ++wrong;
        });
        const SliceCounts counted = SliceCounts::of(values);
        report.positions += counted.positions;
        report.wrong_values += wrong;
        report.wrong_counts += counted != tables_.slice(material)->counts();
    }

    const Tablebase& tables_;
    const int threads_;
    const Tick& tick_;
    std::vector<std::vector<Value>> values_;
};

}  // namespace

Verification verify_tables(const Tablebase& tables, int pieces, int threads, const Tick& tick) {
    return Verifier(tables, threads, tick).verify(pieces);
}

}  // namespace boardwright::draughts
