// Endgame tables of English draughts: retrograde analysis of one material and its turned self.
//
// First every position looks ahead. One with captures, or without moves, is settled at once, since all
// its moves lead to tables that are finished. Any other counts its moves within the two slices and notes
// what crowning a man is worth. Then, for d = 0, 1, 2, …, the positions worth d plies tell those that
// lead to them: behind a loss in d lies a win in d + 1; behind a win in d lies one move less to hope for,
// and when none is left, a loss. What is not reached is drawn. Each position is looked at twice, however
// long its win.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "tablebase_value.hpp"

namespace boardwright::draughts {

// Shares 0 .. total - 1 out among threads in pieces, as work(first, last). The calling thread works too
// and calls tick() between pieces; whatever is thrown anywhere stops all of them and is thrown again.
template <class Work, class Tick>
void in_parallel(std::uint64_t total, std::uint64_t piece, int threads, Work&& work, Tick&& tick) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stop{false};
    std::exception_ptr failure;
    std::mutex failing;
    const auto labour = [&](auto&& between) {
        try {
            while (!stop) {
                const std::uint64_t first = next.fetch_add(piece);
                if (first >= total) return;
                work(first, std::min(total, first + piece));
                between();
            }
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
            stop = true;
        }
    };
    std::vector<std::thread> helpers;
    const std::uint64_t useful = std::min<std::uint64_t>(std::max(threads, 1), (total + piece - 1) / piece);
    try {
        for (std::uint64_t i = 1; i < useful; ++i) helpers.emplace_back([&] { labour([] {}); });
    } catch (const std::system_error&) {
        // The machine gives us no more threads; those we have, and this one, do the work.
    }
    labour(tick);
    for (std::thread& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

// What a slice comes to.
struct SliceCounts {
    std::uint64_t positions = 0, wins = 0, draws = 0, losses = 0;
    std::uint64_t longest = 0;  // plies of the longest win

    void add(Value value) {
        if (value == kGap) return;
        ++positions;
        if (value == kDrawn) {
            ++draws;
        } else if (is_loss(value)) {
            ++losses;
        } else {
            ++wins;
            longest = std::max<std::uint64_t>(longest, value);
        }
    }
    void add(const SliceCounts& other) {
        positions += other.positions;
        wins += other.wins;
        draws += other.draws;
        losses += other.losses;
        longest = std::max(longest, other.longest);
    }
    bool operator==(const SliceCounts&) const = default;
};

struct SolvedSlice {
    SliceIndex index;
    std::vector<Value> values;
};

// Finished slices, whole in memory, by material. Values of positions with captures may be missing.
class SolvedSlices {
  public:
    SolvedSlices() : by_code_(Material::kCodes) {}
    SolvedSlices(const SolvedSlices&) = delete;
    SolvedSlices& operator=(const SolvedSlices&) = delete;

    const SolvedSlice* find(const Material& material) const { return by_code_[material.code()].get(); }
    void put(SolvedSlice slice) {
        const int code = slice.index.material().code();
        by_code_[code] = std::make_unique<SolvedSlice>(std::move(slice));
    }
    void drop(const Material& material) { by_code_[material.code()].reset(); }

    Value value(const Board& board) const {
        return value_by_search(board, [&](const Board& quiet) {
            const SolvedSlice& slice = *by_code_[Material::of(quiet).code()];
            return slice.values[slice.index.number(quiet)];
        });
    }

  private:
    std::vector<std::unique_ptr<SolvedSlice>> by_code_;
};

class PairSolver {
  public:
    // Told now and then, by the thread that called solve(), how many positions are done; may throw.
    using Progress = std::function<void(std::uint64_t)>;

    PairSolver(const Material& material, const SolvedSlices& finished, int threads, Progress progress)
        : finished_(finished), threads_(threads), progress_(std::move(progress)) {
        const bool mirror = material == material.turned();
        for (const Material& side : {material, material.turned()}) {
            if (sides_.size() == 1 && mirror) break;
            SliceIndex index(side);
            const std::uint64_t room = (index.size() + 7) / 8 * 8;  // whole words, for positions_worth
            sides_.push_back({index, std::vector<Value>(room, kGap), std::vector<std::uint8_t>(room, kSettled)});
        }
    }

    // The slice of the material, and that of its turned self where it is another.
    std::vector<SolvedSlice> solve() {
        for (int side = 0; side < sides(); ++side) look_ahead(side);
        for (int plies = 0; plies <= latest_; ++plies) {
            for (int side = 0; side < sides(); ++side) look_back(side, plies);
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
        // Moves within the two slices not yet known to lose; kSettled where nothing is left to be found
        // out, more than kSaved where crowning a man holds a draw at least.
        std::vector<std::uint8_t> hopes;
    };
    static constexpr std::uint8_t kSettled = 255, kSaved = 64;
    static constexpr Bits kRowBeforeCrowning = 0x0F000000;
    static constexpr std::uint64_t kPiece = 1 << 15;

    int sides() const { return static_cast<int>(sides_.size()); }
    void tick() {
        if (progress_) progress_(done_ / 2);
    }

    void look_ahead(int which) {
        Side& side = sides_[which];
        in_parallel(side.index.size(), kPiece, threads_, [&](std::uint64_t first, std::uint64_t last) {
            int latest = 0;
            SliceWalk walk(side.index, first);
            for (std::uint64_t number = first; number < last; ++number, walk.advance()) {
                if (walk.at_gap()) continue;
                const auto [value, hopes] = first_look(walk.board());
                side.values[number] = value;
                side.hopes[number] = hopes;
                if (value < kGap) latest = std::max(latest, int{value});
            }
            raise_latest(latest);
            done_ += last - first;
        }, [&] { tick(); });
    }

    std::pair<Value, std::uint8_t> first_look(const Board& board) const {
        const Origins moves = origins(board, 0);
        if (!moves.any()) return {Value{0}, kSettled};
        if (moves.jumps) {
            BestMove best;
            each_capture_of_mover(board, moves, [&](const Board& after) { best.add(finished_.value(turned(after))); });
            return {best.value(), kSettled};
        }
        const auto [best, crownings] = crown(board, moves);
        const int others = moves.count() - crownings;
        if (others == 0) return {best.value(), kSettled};
        // A win by crowning may still turn out not to be the shortest; then a smaller value replaces it.
        const int hopes = best.saves() ? kSaved + others : others;
        return {best.wins() ? best.value() : kDrawn, static_cast<std::uint8_t>(hopes)};
    }

    // What the moves that crown a man are worth, and how many they are.
    std::pair<BestMove, int> crown(const Board& board, const Origins& moves) const {
        BestMove best;
        int count = 0;
        for (int direction = 2; direction < 4; ++direction) {
            Bits from = moves.from[direction] & board.men(0) & kRowBeforeCrowning;
            for (; from; from &= from - 1) {
                Board after = board;
                bool crowned = false;
                hop(after, 0, from & -from, direction, false, &crowned);
                best.add(finished_.value(turned(after)));
                ++count;
            }
        }
        return {best, count};
    }

    void look_back(int which, int plies) {
        Side& side = sides_[which];
        in_parallel(side.values.size(), kPiece, threads_, [&](std::uint64_t first, std::uint64_t last) {
            std::uint64_t found = 0;
            int latest = 0;
            positions_worth(static_cast<Value>(plies), side.values, first, last, [&](std::uint64_t number) {
                ++found;
                tell_predecessors(which, number, plies, latest);
            });
            raise_latest(latest);
            done_ += found;
        }, [&] { tick(); });
    }

    // Calls visit(number) wherever the value is `plies`. Meanwhile other threads may write greater values;
    // eight at a time are looked through for a byte that is equal.
    template <class Visit>
    static void positions_worth(Value plies, const std::vector<Value>& values, std::uint64_t first, std::uint64_t last,
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

    // Everything that leads to this position by a step that neither captures nor crowns, seen by whoever
    // made the step: turned round, so that the pieces that may have come here are role 0 again.
    void tell_predecessors(int which, std::uint64_t number, int plies, int& latest) {
        const Board here = turned(sides_[which].index.board(number));
        Side& origin = sides_[sides() - 1 - which];
        for (int direction = 0; direction < 4; ++direction) {
            // Who moved in `direction` came from behind: men only go down.
            Bits movers = step(here.empty(), direction) & (direction >= 2 ? here.pieces[0] : here.kings_of(0));
            for (; movers; movers &= movers - 1) {
                const Bits to = movers & -movers;
                const Bits both = to | step(to, 3 - direction);
                Board before = here;
                before.pieces[0] ^= both;
                if (here.kings & to) before.kings ^= both;
                if (plies % 2 == 0) {
                    wins_by_this(origin, before, plies + 1, latest);
                } else {
                    loses_this_hope(origin, before, plies + 1, latest);
                }
            }
        }
    }

    static void wins_by_this(Side& origin, const Board& board, int plies, int& latest) {
        const std::uint64_t number = origin.index.number(board);
        Value* value = &origin.values[number];
        if (__atomic_load_n(value, __ATOMIC_RELAXED) <= plies || origin.hopes[number] == kSettled) return;
        if (plies > kLongest) throw std::length_error("a win of more plies than a byte holds");
        __atomic_store_n(value, static_cast<Value>(plies), __ATOMIC_RELAXED);
        latest = std::max(latest, plies);
    }

    void loses_this_hope(Side& origin, const Board& board, int plies, int& latest) const {
        const std::uint64_t number = origin.index.number(board);
        std::uint8_t* hopes = &origin.hopes[number];
        if (__atomic_load_n(hopes, __ATOMIC_RELAXED) == kSettled) return;
        if (__atomic_sub_fetch(hopes, 1, __ATOMIC_RELAXED) != 0) return;
        if (board.men(0) & kRowBeforeCrowning) {
            plies = std::max(plies, crown(board, origins(board, 0)).first.longest_loss());
        }
        if (plies > kLongest) throw std::length_error("a loss of more plies than a byte holds");
        __atomic_store_n(&origin.values[number], static_cast<Value>(plies), __ATOMIC_RELAXED);
        latest = std::max(latest, plies);
    }

    void raise_latest(int plies) {
        int known = latest_;
        while (plies > known && !latest_.compare_exchange_weak(known, plies)) {}
    }

    const SolvedSlices& finished_;
    const int threads_;
    const Progress progress_;
    std::vector<Side> sides_;
    std::atomic<std::uint64_t> done_{0};  // looks at positions, forward and back
    std::atomic<int> latest_{0};          // no value but draws is greater
};

inline SliceCounts count_values(const std::vector<Value>& values) {
    SliceCounts counts;
    for (const Value value : values) counts.add(value);
    return counts;
}

}  // namespace boardwright::draughts
