#include "tablebase/tables.hpp"

namespace boardwright::draughts {
namespace {

int max_pieces_in(const std::filesystem::path& folder) {
    for (int pieces = kMaxPieces; pieces >= 2; --pieces) {
        for (const Material& material : materials_in_order(pieces)) {
            std::error_code unreadable;
            if (std::filesystem::exists(table_path(folder, material), unreadable)) return pieces;
        }
    }
    throw TableError("no draughts tables in " + folder.string() + ": build them with " + how_to_build(folder, 4));
}

}  // namespace

Tablebase::Tablebase(const std::filesystem::path& folder, int pieces)
    : pieces_(pieces != 0 ? pieces : max_pieces_in(folder)), by_code_(Material::kCodes, nullptr) {
    for (int count = 2; count <= pieces_; ++count) {
        for (const Material& material : materials_in_order(count)) {
            files_.push_back(std::make_unique<TableFile>(folder, material));
            for (const StoredSlice& slice : files_.back()->slices()) by_code_[slice.index().material().code()] = &slice;
        }
    }
}

SliceCounts Tablebase::counts(int pieces) const {
    SliceCounts counts;
    for (const Material& material : slices_in_order(pieces)) {
        if (const StoredSlice* found = slice(material)) counts.add(found->counts());
    }
    return counts;
}

Value Prober::value(const Board& board) {
    return value_by_search(board, [&](const Board& quiet) { return stored(quiet); });
}

Value Prober::value_in_capture(const Board& board, Bits from) {
    BestMove best;
    each_capture(board, 0, from, [&](const Board& after, Bits) { best.add(value(turned(after))); });
    return best.value();
}

Value Prober::stored(const Board& board) {
    const StoredSlice* slice = tables_->slice(Material::of(board));
    assert(slice);
    const std::uint64_t position = slice->index().number(board), number = position / Block::kPositions;
    const std::uint64_t spread = (reinterpret_cast<std::uintptr_t>(slice) + number) * 0x9E3779B97F4A7C15ull;
    Cached& cached = cache_[spread >> 56];
    if (cached.slice != slice || cached.number != number) {
        auto block = std::make_unique<Block>(slice->index(), number);
        slice->read(*block, number, true);
        cached = {slice, number, std::move(block)};
    }
    return cached.block->values()[position % Block::kPositions];
}

}  // namespace boardwright::draughts
