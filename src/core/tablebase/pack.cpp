#include "tablebase/pack.hpp"

namespace boardwright::draughts {
namespace {

constexpr int kPerWord = PackedOutcomes::kPerWord;

class Packer {
  public:
    explicit Packer(const Tablebase& tables) : first_of_(Material::kCodes, 0) {
        std::uint64_t positions = 0;
        for (int count = 2; count <= tables.pieces(); ++count) {
            for (const Material& material : slices_in_order(count)) {
                first_of_[material.code()] = positions;
                packed_.slices.push_back({material, positions});
                positions += (tables.slice(material)->index().size() + kPerWord - 1) / kPerWord * kPerWord;
            }
        }
        packed_.size = positions / kPerWord;
        packed_.words = std::make_unique<std::uint32_t[]>(packed_.size);
    }

    PackedOutcomes pack(const Tablebase& tables, int threads, const Tick& tick) {
        // Captures lead to fewer pieces, so the slices they lead to are filled first.
        for (const auto& slice : packed_.slices) fill(*tables.slice(slice.material), slice.first, threads, tick);
        return std::move(packed_);
    }

  private:
    void fill(const StoredSlice& slice, std::uint64_t first, int threads, const Tick& tick) {
        static_assert(Block::kPositions % kPerWord == 0);  // so that no two threads write into one word
        const std::uint64_t blocks = Block::blocks_of(slice.index());
        in_parallel(blocks, 16, threads, tick, [&](std::uint64_t begin, std::uint64_t end) {
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
        });
    }

    // `stored` counts only where the mover can move and need not capture.
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
        return static_cast<Outcome>(packed_.words[number / kPerWord] >> (2 * (number % kPerWord)) & 3);
    }

    void put(std::uint64_t number, Outcome outcome) {
        packed_.words[number / kPerWord] |= static_cast<std::uint32_t>(outcome) << (2 * (number % kPerWord));
    }

    PackedOutcomes packed_;
    std::vector<std::uint64_t> first_of_;  // by code of the material
};

}  // namespace

PackedOutcomes pack_outcomes(const Tablebase& tables, int threads, const Tick& tick) {
    return Packer(tables).pack(tables, threads, tick);
}

}  // namespace boardwright::draughts
