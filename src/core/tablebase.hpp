// Endgame tables of English draughts, as files in a folder: opened, checked, and asked.
#pragma once

#include <memory>
#include <utility>

#include "tablebase_file.hpp"

namespace boardwright::draughts {

// One slice in an open file.
class StoredSlice {
  public:
    StoredSlice(const Material& material, std::span<const std::uint8_t> file, const SliceDescriptor& where)
        : index_(material), counts_{where.positions, where.wins, where.draws, where.losses, where.longest} {
        const auto part = [&](std::uint64_t first, std::uint64_t last) { return file.subspan(first, last - first); };
        const std::uint64_t blocks = Block::blocks_of(index_);
        sound_ = where.block_ends % 8 == 0 && where.block_ends <= where.outcome_model &&
                 where.outcome_model - where.block_ends == blocks * sizeof(BlockEnds) &&
                 where.outcome_model <= where.distance_model && where.distance_model <= where.outcomes &&
                 where.outcomes <= where.distances && where.distances <= where.end && where.end <= file.size();
        if (!sound_) return;
        ends_ = {reinterpret_cast<const BlockEnds*>(file.data() + where.block_ends), static_cast<std::size_t>(blocks)};
        outcomes_ = part(where.outcomes, where.distances);
        distances_ = part(where.distances, where.end);
        sound_ = outcome_model_.read(part(where.outcome_model, where.distance_model)) &&
                 distance_model_.read(part(where.distance_model, where.outcomes));
    }

    bool sound() const { return sound_; }
    const SliceIndex& index() const { return index_; }
    const SliceCounts& counts() const { return counts_; }

    // Outcomes alone are quicker to have than distances.
    void read(Block& block, std::uint64_t number, bool distances) const {
        const BlockEnds first = number == 0 ? BlockEnds{0, 0} : ends_[number - 1], last = ends_[number];
        BitReader outcome_bits(outcome_model_, between(outcomes_, first.outcomes, last.outcomes));
        block.code_outcomes(outcome_bits);
        if (distances) {
            BitReader distance_bits(distance_model_, between(distances_, first.distances, last.distances));
            block.code_distances(distance_bits);
        } else {
            block.values_from_outcomes();
        }
    }

    // Every value, for whoever works on the whole slice. Those of captures are missing.
    SolvedSlice read_all(int threads) const {
        SolvedSlice whole{index_, std::vector<Value>(index_.size())};
        in_parallel(Block::blocks_of(index_), 64, threads, [&](std::uint64_t first, std::uint64_t last) {
            for (std::uint64_t number = first; number < last; ++number) {
                Block block(index_, number);
                read(block, number, true);
                std::ranges::copy(block.values(), whole.values.data() + number * Block::kPositions);
            }
        }, [] {});
        return whole;
    }

  private:
    // Empty where a file contradicts itself.
    static std::span<const std::uint8_t> between(std::span<const std::uint8_t> part, std::size_t first,
                                                 std::size_t last) {
        return first <= last && last <= part.size() ? part.subspan(first, last - first) : part.first(0);
    }

    SliceIndex index_;
    SliceCounts counts_;
    bool sound_ = false;
    std::span<const BlockEnds> ends_;
    std::span<const std::uint8_t> outcomes_, distances_;
    BitModel outcome_model_{Block::kOutcomeContexts}, distance_model_{Block::kDistanceContexts};
};

// A table file, mapped into memory and checked from the first byte to the last.
class TableFile {
  public:
    TableFile(const std::filesystem::path& folder, const Material& material) {
        const std::filesystem::path path = table_path(folder, material);
        const auto refuse = [&](const std::string& why) {
            throw TableError("table file " + path.string() + " " + why + ": build it again with " +
                             how_to_build(folder, material.pieces()));
        };
        map(path, folder, material);
        FileHeader header;
        if (bytes_.size() < sizeof header) refuse("is cut short");
        std::memcpy(&header, bytes_.data(), sizeof header);
        if (header.magic != FileHeader::kMagic) refuse("is no draughts table");
        if (header.version != FileHeader::kVersion || header.block_positions != Block::kPositions) {
            refuse("is of version " + std::to_string(header.version) + ", not " + std::to_string(FileHeader::kVersion));
        }
        if (header.file_bytes > bytes_.size()) {
            refuse("is cut short (" + std::to_string(bytes_.size()) + " of " + std::to_string(header.file_bytes) +
                   " bytes)");
        }
        if (header.file_bytes != bytes_.size() || header.checksum != file_checksum(bytes_)) {
            refuse("is damaged (its checksum is wrong)");
        }
        const Material found{{header.material[0], header.material[2]}, {header.material[1], header.material[3]}};
        if (found != material) refuse("holds another material");
        const std::size_t expected = material == material.turned() ? 1 : 2;
        if (header.slices != expected || bytes_.size() < sizeof header + expected * sizeof(SliceDescriptor)) {
            refuse("contradicts itself");
        }
        for (std::size_t i = 0; i < expected; ++i) {
            SliceDescriptor where;
            std::memcpy(&where, bytes_.data() + sizeof header + i * sizeof where, sizeof where);
            slices_.emplace_back(i == 0 ? material : material.turned(), bytes_, where);
            if (!slices_.back().sound()) refuse("contradicts itself");
        }
    }

    TableFile(const TableFile&) = delete;
    TableFile& operator=(const TableFile&) = delete;

    const std::vector<StoredSlice>& slices() const { return slices_; }
    std::uint64_t bytes() const { return bytes_.size(); }

  private:
    // Unmaps by itself, also when a check in the constructor throws.
    struct Mapping {
        void* address = MAP_FAILED;
        std::size_t size = 0;
        ~Mapping() {
            if (address != MAP_FAILED) ::munmap(address, size);
        }
    };

    void map(const std::filesystem::path& path, const std::filesystem::path& folder, const Material& material) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0 && errno == ENOENT) {
            throw TableError("table file " + path.string() + " is missing: build it with " +
                             how_to_build(folder, material.pieces()));
        }
        if (file < 0) throw TableError("cannot open table file " + path.string() + ": " + std::strerror(errno));
        struct stat status {};
        if (::fstat(file, &status) == 0 && status.st_size > 0) {
            mapping_.size = static_cast<std::size_t>(status.st_size);
            mapping_.address = ::mmap(nullptr, mapping_.size, PROT_READ, MAP_PRIVATE, file, 0);
        }
        ::close(file);
        if (mapping_.address == MAP_FAILED) return;  // an empty file is cut short
        bytes_ = {static_cast<const std::uint8_t*>(mapping_.address), mapping_.size};
    }

    Mapping mapping_;
    std::span<const std::uint8_t> bytes_;
    std::vector<StoredSlice> slices_;
};

// All tables of a folder to a number of pieces. Nothing in it changes, so threads may share it.
class Tablebase {
  public:
    // With 0 pieces, as many as the folder has any file for.
    explicit Tablebase(const std::filesystem::path& folder, int pieces = 0) : by_code_(Material::kCodes, nullptr) {
        pieces_ = pieces != 0 ? pieces : most_pieces_in(folder);
        for (int count = 2; count <= pieces_; ++count) {
            for (const Material& material : materials_in_order(count)) {
                files_.push_back(std::make_unique<TableFile>(folder, material));
                for (const StoredSlice& slice : files_.back()->slices()) {
                    by_code_[slice.index().material().code()] = &slice;
                }
            }
        }
    }

    Tablebase(const Tablebase&) = delete;
    Tablebase& operator=(const Tablebase&) = delete;

    int pieces() const { return pieces_; }
    // Null where there is no table.
    const StoredSlice* slice(const Material& material) const { return by_code_[material.code()]; }

    SliceCounts counts(int pieces) const {
        SliceCounts counts;
        for (const auto& file : files_) {
            for (const StoredSlice& slice : file->slices()) {
                if (slice.index().material().pieces() == pieces) counts.add(slice.counts());
            }
        }
        return counts;
    }

  private:
    static int most_pieces_in(const std::filesystem::path& folder) {
        for (int pieces = kMostPieces; pieces >= 2; --pieces) {
            for (const Material& material : materials_in_order(pieces)) {
                std::error_code unreadable;
                if (std::filesystem::exists(table_path(folder, material), unreadable)) return pieces;
            }
        }
        throw TableError("no draughts tables in " + folder.string() + ": build them with " + how_to_build(folder, 4));
    }

    int pieces_;
    std::vector<std::unique_ptr<TableFile>> files_;
    std::vector<const StoredSlice*> by_code_;
};

// Asks a tablebase, and remembers the blocks it has read last. One a thread.
class Prober {
  public:
    explicit Prober(const Tablebase& tables) : tables_(&tables), cache_(kCachedBlocks) {}

    // Both with the mover as role 0, and no more pieces than the tables have.
    Value value(const Board& board) {
        return value_by_search(board, [&](const Board& quiet) { return stored(quiet, true); });
    }
    Outcome outcome_of(const Board& board) {
        return outcome(value_by_search(board, [&](const Board& quiet) { return stored(quiet, false); }));
    }

    // Inside a capture: the piece on `from` has to go on. The whole capture is one ply.
    Value value_going_on(const Board& board, Bits from) {
        BestMove best;
        each_capture(board, 0, from, [&](const Board& after, Bits) { best.add(value(turned(after))); });
        return best.value();
    }

  private:
    static constexpr std::size_t kCachedBlocks = 256;

    struct Cached {
        const StoredSlice* slice = nullptr;
        std::uint64_t number = 0;
        bool distances = false;
        std::unique_ptr<Block> block;
    };

    Value stored(const Board& board, bool distances) {
        const StoredSlice* slice = tables_->slice(Material::of(board));
        const std::uint64_t position = slice->index().number(board), number = position / Block::kPositions;
        const std::uint64_t spread = (reinterpret_cast<std::uintptr_t>(slice) + number) * 0x9E3779B97F4A7C15ull;
        Cached& cached = cache_[spread >> 56];
        if (cached.slice != slice || cached.number != number || (distances && !cached.distances)) {
            auto block = std::make_unique<Block>(slice->index(), number);
            slice->read(*block, number, distances);
            cached = {slice, number, distances, std::move(block)};
        }
        return cached.block->values()[position % Block::kPositions];
    }

    const Tablebase* tables_;
    std::vector<Cached> cache_;
};

}  // namespace boardwright::draughts
