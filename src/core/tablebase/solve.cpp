#include "tablebase/solve.hpp"

#include <atomic>
#include <utility>

#include "tablebase/parallel.hpp"

namespace boardwright::draughts {
namespace {

class PairSolver {
  public:
    PairSolver(const Material& material, const SolvedSlices& finished, int threads, const Progress& progress)
        : finished_(finished), threads_(threads), tick_([this, &progress] { progress(done_ / 2); }) {
        for (const Material& side : {material, material.turned()}) {
            if (sides_.size() == 1 && material == side) break;
            SliceIndex index(side);
            const std::uint64_t room = (index.size() + 7) / 8 * 8;  // whole words, for each_with_value
            sides_.push_back({index, std::vector<Value>(room, kGap), std::vector<std::uint8_t>(room, kSettled)});
        }
    }

    std::vector<SolvedSlice> solve() {
        for (Side& side : sides_) initialise(side);
        for (int plies = 0; plies <= latest_; ++plies) {
            for (std::size_t side = 0; side < sides_.size(); ++side) propagate(side, plies);
        }
        std::vector<SolvedSlice> solved;
        for (Side& side : sides_) {
            side.values.resize(side.index.size());
            solved.push_back({side.index, std::move(side.values)});
        }
        return solved;
    }

  private:
    struct Side {
        SliceIndex index;
        std::vector<Value> values;
        // Moves within the two slices not yet known to lose; kSettled where the value is final, more than
        // kSaved where crowning a man holds at least a draw.
        std::vector<std::uint8_t> open_moves;
    };
    static constexpr std::uint8_t kSettled = 255, kSaved = 64;
    static constexpr Bits kRowBeforeCrowning = 0x0F000000;
    static constexpr std::uint64_t kPiece = 1 << 15;

    void initialise(Side& side) {
        in_parallel(side.index.size(), kPiece, threads_, tick_, [&](std::uint64_t first, std::uint64_t last) {
            int latest = 0;
            SliceWalk walk(side.index, first);
            for (std::uint64_t number = first; number < last; ++number, walk.advance()) {
                if (walk.at_gap()) continue;
                const auto [value, open_moves] = first_value(walk.board());
                side.values[number] = value;
                side.open_moves[number] = open_moves;
                if (value < kGap) latest = std::max(latest, int{value});
            }
            raise_latest(latest);
            done_ += last - first;
        });
    }

    std::pair<Value, std::uint8_t> first_value(const Board& board) const {
        const Origins moves = origins(board, 0);
        if (!moves.any()) return {Value{0}, kSettled};
        if (moves.jumps) {
            BestMove best;
            each_capture_of_mover(board, moves, [&](const Board& after) { best.add(finished_.value(turned(after))); });
            return {best.value(), kSettled};
        }
        const auto [best, crownings] = best_crowning(board, moves);
        const int others = moves.count() - crownings;
        if (others == 0) return {best.value(), kSettled};
        // A win by crowning may not be the shortest; then a smaller value replaces it later.
        const int open_moves = best.saves() ? kSaved + others : others;
        return {best.wins() ? best.value() : kDrawn, static_cast<std::uint8_t>(open_moves)};
    }

    // The best of the moves that crown a man, and how many there are.
    std::pair<BestMove, int> best_crowning(const Board& board, const Origins& moves) const {
        BestMove best;
        int count = 0;
        for (int direction = 2; direction < 4; ++direction) {
            Bits from = moves.from[direction] & board.men(0) & kRowBeforeCrowning;
            for (; from; from &= from - 1) {
                Board after = board;
                hop(after, 0, from & -from, direction, false);
                best.add(finished_.value(turned(after)));
                ++count;
            }
        }
        return {best, count};
    }

    void propagate(std::size_t which, int plies) {
        const std::vector<Value>& values = sides_[which].values;
        in_parallel(values.size(), kPiece, threads_, tick_, [&](std::uint64_t first, std::uint64_t last) {
            std::uint64_t found = 0;
            int latest = 0;
            each_with_value(static_cast<Value>(plies), values, first, last, [&](std::uint64_t number) {
                ++found;
                update_predecessors(which, number, plies, latest);
            });
            raise_latest(latest);
            done_ += found;
        });
    }

    // Calls visit(number) for every position with value `plies`. Meanwhile other threads may write greater
    // values; eight bytes at a time are compared.
    template <class Visit>
    static void each_with_value(Value plies, const std::vector<Value>& values, std::uint64_t first, std::uint64_t last,
                                Visit&& visit) {
        constexpr std::uint64_t each = 0x0101010101010101, high = 0x8080808080808080;
        for (std::uint64_t at = first; at < last; at += 8) {
            const auto* word = reinterpret_cast<const std::uint64_t*>(values.data() + at);
            const std::uint64_t differs = __atomic_load_n(word, __ATOMIC_RELAXED) ^ (each * plies);
            if (((differs - each) & ~differs & high) == 0) continue;
            for (std::uint64_t number = at; number < at + 8; ++number) {
                if (__atomic_load_n(&values[number], __ATOMIC_RELAXED) == plies) visit(number);
            }
        }
    }

    // Predecessors by a step that neither captures nor crowns, seen by the side that made the step: the board
    // is turned, so that the pieces that may have moved are role 0 again.
    void update_predecessors(std::size_t which, std::uint64_t number, int plies, int& latest) {
        const Board here = turned(sides_[which].index.board(number));
        Side& origin = sides_[sides_.size() - 1 - which];
        for (int direction = 0; direction < 4; ++direction) {
            // A piece that moved in `direction` came from the opposite square; men only move down.
            Bits movers = step(here.empty(), direction) & (direction >= 2 ? here.pieces[0] : here.kings_of(0));
            for (; movers; movers &= movers - 1) {
                const Bits to = movers & -movers;
                const Bits both = to | step(to, 3 - direction);
                Board before = here;
                before.pieces[0] ^= both;
                if (here.kings & to) before.kings ^= both;
                if (plies % 2 == 0) {
                    record_win(origin, before, plies + 1, latest);
                } else {
                    record_refuted_move(origin, before, plies + 1, latest);
                }
            }
        }
    }

    static void record_win(Side& origin, const Board& board, int plies, int& latest) {
        const std::uint64_t number = origin.index.number(board);
        const Value known = __atomic_load_n(&origin.values[number], __ATOMIC_RELAXED);
        if (known <= plies || origin.open_moves[number] == kSettled) return;
        store_value(origin, number, plies, latest);
    }

    void record_refuted_move(Side& origin, const Board& board, int plies, int& latest) const {
        const std::uint64_t number = origin.index.number(board);
        std::uint8_t* open_moves = &origin.open_moves[number];
        if (__atomic_load_n(open_moves, __ATOMIC_RELAXED) == kSettled) return;
        if (__atomic_sub_fetch(open_moves, 1, __ATOMIC_RELAXED) != 0) return;
        if (board.men(0) & kRowBeforeCrowning) {
            plies = std::max(plies, best_crowning(board, origins(board, 0)).first.longest_loss());
        }
        store_value(origin, number, plies, latest);
    }

    static void store_value(Side& origin, std::uint64_t number, int plies, int& latest) {
        if (plies > kLongest) throw std::length_error("a result takes more plies than a byte holds");
        __atomic_store_n(&origin.values[number], static_cast<Value>(plies), __ATOMIC_RELAXED);
        latest = std::max(latest, plies);
    }

    void raise_latest(int plies) {
        int known = latest_;
        while (plies > known && !latest_.compare_exchange_weak(known, plies)) {}
    }

    const SolvedSlices& finished_;
    const int threads_;
    const Tick tick_;
    std::vector<Side> sides_;
    std::atomic<std::uint64_t> done_{0};  // visits of positions, forward and back
    std::atomic<int> latest_{0};          // the greatest value found, draws excepted
};

}  // namespace

SliceCounts SliceCounts::of(const std::vector<Value>& values) {
    SliceCounts counts;
    for (const Value value : values) {
        if (value == kGap) continue;
        ++counts.positions;
        if (value == kDrawn) {
            ++counts.draws;
        } else if (is_loss(value)) {
            ++counts.losses;
        } else {
            ++counts.wins;
            counts.longest = std::max<std::uint64_t>(counts.longest, value);
        }
    }
    return counts;
}

void SliceCounts::add(const SliceCounts& other) {
    positions += other.positions;
    wins += other.wins;
    draws += other.draws;
    losses += other.losses;
    longest = std::max(longest, other.longest);
}

void SolvedSlices::put(SolvedSlice slice) {
    const int code = slice.index.material().code();
    by_code_[code] = std::make_unique<SolvedSlice>(std::move(slice));
}

Value SolvedSlices::value(const Board& board) const {
    return value_by_search(board, [&](const Board& quiet) {
        const SolvedSlice* slice = find(Material::of(quiet));
        assert(slice);
        return slice->values[slice->index.number(quiet)];
    });
}

std::vector<SolvedSlice> solve_pair(const Material& material, const SolvedSlices& finished, int threads,
                                    const Progress& progress) {
    return PairSolver(material, finished, threads, progress).solve();
}

}  // namespace boardwright::draughts
