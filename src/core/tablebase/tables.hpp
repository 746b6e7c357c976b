// Endgame tables of English draughts: the tables of a folder, opened, checked, and probed.
#pragma once

#include "tablebase/file.hpp"

namespace boardwright::draughts {

// All tables of a folder up to a number of pieces. Immutable, so threads may share it.
class Tablebase {
  public:
    // With 0 pieces, up to the most pieces that any file of the folder has.
    explicit Tablebase(const std::filesystem::path& folder, int pieces = 0);
    Tablebase(const Tablebase&) = delete;
    Tablebase& operator=(const Tablebase&) = delete;

    int pieces() const { return pieces_; }
    // Null where there is no table.
    const StoredSlice* slice(const Material& material) const { return by_code_[material.code()]; }
    SliceCounts counts(int pieces) const;

  private:
    int pieces_;
    std::vector<std::unique_ptr<TableFile>> files_;
    std::vector<const StoredSlice*> by_code_;
};

// Looks up positions, with a cache of recently read blocks. One per thread.
class Prober {
  public:
    explicit Prober(const Tablebase& tables) : tables_(&tables), cache_(kCachedBlocks) {}

    // Both with the mover as role 0, and no more pieces than the tables have.
    Value value(const Board& board);
    // Inside a capture: the piece on `from` must capture again. The whole capture is one ply.
    Value value_in_capture(const Board& board, Bits from);

  private:
    static constexpr std::size_t kCachedBlocks = 256;

    struct Cached {
        const StoredSlice* slice = nullptr;
        std::uint64_t number = 0;
        std::unique_ptr<Block> block;
    };

    Value stored(const Board& board);

    const Tablebase* tables_;
    std::vector<Cached> cache_;
};

}  // namespace boardwright::draughts
