// Endgame tables of English draughts: the outcome of every position in one block of memory, two bits each.
//
// For whoever can look a number up but cannot decode and search, such as a GPU. Slices lie one after the
// other, each from the beginning of a word on, and captures are filled in.
#pragma once

#include "tablebase.hpp"

namespace boardwright::draughts {

class PackedOutcomes {
  public:
    static constexpr int kAWord = 16;  // positions

    struct Slice {
        Material material;
        std::uint64_t first;  // number of its first position among those of all slices
    };

    // Throws what tick() throws.
    template <class Tick>
    PackedOutcomes(const Tablebase& tables, int threads, Tick&& tick) : first_of_(Material::kCodes, 0) {
        std::uint64_t positions = 0;
        for (int count = 2; count <= tables.pieces(); ++count) {
            for (const Material& material : materials_in_order(count)) {
                for (const Material& side : {material, material.turned()}) {
                    if (!slices_.empty() && slices_.back().material == side) continue;  // its own turned self
                    first_of_[side.code()] = positions;
                    slices_.push_back({side, positions});
                    positions += (tables.slice(side)->index().size() + kAWord - 1) / kAWord * kAWord;
                }
            }
        }
        size_ = positions / kAWord;
        words_ = std::make_unique<std::uint32_t[]>(size_);
        // Captures lead to fewer pieces, so what they lead to is there when they are looked at.
        for (const Slice& slice : slices_) fill(*tables.slice(slice.material), slice.first, threads, tick);
    }

    const std::vector<Slice>& slices() const { return slices_; }
    std::size_t size() const { return size_; }  // words
    std::unique_ptr<std::uint32_t[]> release() { return std::move(words_); }

  private:
    template <class Tick>
    void fill(const StoredSlice& slice, std::uint64_t first, int threads, Tick&& tick) {
        static_assert(Block::kPositions % kAWord == 0);  // so that no two threads write into one word
        in_parallel(Block::blocks_of(slice.index()), 16, threads, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t number = begin; number < end; ++number) {
                Block block(slice.index(), number);
                slice.read(block, number, false);
                SliceWalk walk(slice.index(), number * Block::kPositions);
                std::uint64_t at = first + number * Block::kPositions;
                for (const Value value : block.values()) {
                    if (!walk.at_gap()) put(at, outcome_of(walk.board(), value));
                    walk.advance();
                    ++at;
                }
            }
        }, tick);
    }

    // `stored` counts where the mover can move and need not capture.
    Outcome outcome_of(const Board& board, Value stored) const {
        const Origins moves = origins(board, 0);
        if (!moves.any()) return Outcome::kLoss;
        if (!moves.jumps) return outcome(stored);
        int best = static_cast<int>(Outcome::kLoss);
        each_capture_of_mover(board, moves, [&](const Board& after) {
            best = std::max(best, static_cast<int>(Outcome::kWin) - static_cast<int>(at(turned(after))));
        });
        return static_cast<Outcome>(best);
    }

    // Of a position that is filled in.
    Outcome at(const Board& board) const {
        if (board.pieces[0] == 0) return Outcome::kLoss;
        const Material material = Material::of(board);
        const std::uint64_t number = first_of_[material.code()] + SliceIndex(material).number(board);
        return static_cast<Outcome>(words_[number / kAWord] >> (2 * (number % kAWord)) & 3);
    }

    void put(std::uint64_t number, Outcome outcome) {
        words_[number / kAWord] |= static_cast<std::uint32_t>(outcome) << (2 * (number % kAWord));
    }

    std::vector<Slice> slices_;
    std::vector<std::uint64_t> first_of_;  // by code of the material
    std::size_t size_ = 0;
    std::unique_ptr<std::uint32_t[]> words_;
};

}  // namespace boardwright::draughts
