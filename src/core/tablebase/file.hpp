// Endgame tables of English draughts: the file of a material and its colour-swapped counterpart.
//
// A header, one descriptor per slice, then for each slice the ends of its blocks (twice 32 bits per block:
// outcomes, distances), the two models of its bits, and the blocks. All numbers are little-endian. The
// checksum covers every byte but itself; a file gets its name only when it is complete.
#pragma once

#include <filesystem>

#include "tablebase/codec.hpp"
#include "tablebase/parallel.hpp"
#include "tablebase/solve.hpp"

namespace boardwright::draughts {

// A table file that is missing, damaged or of another kind; the message names the file and the remedy.
struct TableError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::filesystem::path table_path(const std::filesystem::path& folder, const Material& material);
// The command that builds the tables of a folder, for messages.
std::string how_to_build(const std::filesystem::path& folder, int pieces);

// Writes the slices of one material and its colour-swapped counterpart, as solve_pair() returns them.
void write_table(const std::filesystem::path& path, const std::vector<SolvedSlice>& slices, int threads,
                 const Tick& tick);

struct SliceDescriptor {
    SliceCounts counts;
    // Where in the file each part begins; a part ends where the next begins.
    std::uint64_t block_ends, outcome_model, distance_model, outcomes, distances, end;
};

struct BlockEnds {
    std::uint32_t outcomes, distances;  // from the beginning of the part
};

// One slice in an open file.
class StoredSlice {
  public:
    StoredSlice(const Material& material, std::span<const std::uint8_t> file, const SliceDescriptor& where);

    bool sound() const { return sound_; }
    const SliceIndex& index() const { return index_; }
    const SliceCounts& counts() const { return counts_; }
    // Outcomes alone are quicker to read than distances.
    void read(Block& block, std::uint64_t number, bool distances) const;
    // Every value of the slice; those of captures are missing.
    SolvedSlice read_all(int threads) const;

  private:
    SliceIndex index_;
    SliceCounts counts_;
    bool sound_ = false;
    std::span<const BlockEnds> ends_;
    std::span<const std::uint8_t> outcomes_, distances_;
    BlockModels models_;
};

// A table file, mapped into memory and checked from the first byte to the last.
class TableFile {
  public:
    TableFile(const std::filesystem::path& folder, const Material& material);
    TableFile(const TableFile&) = delete;
    TableFile& operator=(const TableFile&) = delete;

    const std::vector<StoredSlice>& slices() const { return slices_; }

  private:
    // Unmaps in its destructor, also when a check in the constructor of the file throws.
    struct Mapping {
        void* address = nullptr;
        std::size_t size = 0;
        ~Mapping();
    };

    void map(const std::filesystem::path& path, const std::filesystem::path& folder, const Material& material);

    Mapping mapping_;
    std::span<const std::uint8_t> bytes_;
    std::vector<StoredSlice> slices_;
};

}  // namespace boardwright::draughts
