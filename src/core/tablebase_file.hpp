// Endgame tables of English draughts: the file of a material and its turned self.
//
// A header, one descriptor a slice, then for each slice the ends of its blocks (twice 32 bits a block:
// outcomes, distances), the two models of its bits, and the blocks. All numbers are little-endian. The
// checksum covers every byte but itself; a file comes into being under its name only when it is whole.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tablebase_codec.hpp"
#include "tablebase_solve.hpp"

namespace boardwright::draughts {

static_assert(std::endian::native == std::endian::little, "table files are little-endian and mapped as they are");

// A table file that is missing, damaged or of another kind; the message names the file and the remedy.
struct TableError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct FileHeader {
    static constexpr std::uint64_t kMagic = 0x454C424154445742;  // "BWDTABLE"
    static constexpr std::uint32_t kVersion = 1;

    std::uint64_t magic = kMagic;
    std::uint32_t version = kVersion;
    std::uint32_t block_positions = Block::kPositions;
    std::uint64_t file_bytes = 0;
    std::uint64_t checksum = 0;
    std::array<std::uint8_t, 4> material{};  // men and kings of one side, of the other
    std::uint32_t slices = 0;
};

struct SliceDescriptor {
    std::uint64_t positions, wins, draws, losses, longest;
    // Where in the file each part begins; a part ends where the next does.
    std::uint64_t block_ends, outcome_model, distance_model, outcomes, distances, end;
};

struct BlockEnds {
    std::uint32_t outcomes, distances;  // from the beginning of the part
};

// Every step can be undone if the word is known, so a change to any one word changes the sum for certain.
inline std::uint64_t checksum(std::span<const std::uint8_t> bytes, std::uint64_t sum) {
    const auto mix = [&sum](std::uint64_t word) {
        sum = (sum ^ word) * 0x9E3779B97F4A7C15ull;
        sum ^= sum >> 32;
    };
    mix(bytes.size());
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), 8);
        mix(word);
    }
    std::uint64_t rest = 0;
    if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
    mix(rest);
    return sum;
}

inline std::uint64_t file_checksum(std::span<const std::uint8_t> file) {
    FileHeader header;
    std::memcpy(&header, file.data(), sizeof header);
    header.checksum = 0;
    const std::uint64_t sum = checksum({reinterpret_cast<const std::uint8_t*>(&header), sizeof header}, 0);
    return checksum(file.subspan(sizeof header), sum);
}

inline std::filesystem::path table_path(const std::filesystem::path& folder, const Material& material) {
    return folder / (material.name() + ".table");
}

inline std::string how_to_build(const std::filesystem::path& folder, int pieces) {
    return "'boardwright tablebase build --pieces " + std::to_string(pieces) + " --out " + folder.string() + "'";
}

// The bytes of a slice's parts, to be put into a file.
template <class Tick>
SliceDescriptor append_slice(Bytes& file, const SolvedSlice& slice, int threads, Tick&& tick) {
    const std::uint64_t blocks = Block::blocks_of(slice.index);
    const auto filled_block = [&](std::uint64_t number) {
        auto block = std::make_unique<Block>(slice.index, number);
        block->fill(std::span(slice.values).subspan(number * Block::kPositions, block->size()));
        return block;
    };
    BitCounter outcome_bits(Block::kOutcomeContexts), distance_bits(Block::kDistanceContexts);
    std::mutex adding;
    in_parallel(blocks, 64, threads, [&](std::uint64_t first, std::uint64_t last) {
        BitCounter outcomes(Block::kOutcomeContexts), distances(Block::kDistanceContexts);
        for (std::uint64_t number = first; number < last; ++number) {
            const auto block = filled_block(number);
            block->code_outcomes(outcomes);
            block->code_distances(distances);
        }
        const std::lock_guard lock(adding);
        outcome_bits.add(outcomes);
        distance_bits.add(distances);
    }, tick);
    const BitModel outcome_model = outcome_bits.model(), distance_model = distance_bits.model();
    std::vector<std::array<Bytes, 2>> coded(blocks);
    in_parallel(blocks, 64, threads, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t number = first; number < last; ++number) {
            const auto block = filled_block(number);
            BitWriter outcomes(outcome_model), distances(distance_model);
            block->code_outcomes(outcomes);
            block->code_distances(distances);
            coded[number] = {outcomes.finish(), distances.finish()};
        }
    }, tick);

    const SliceCounts counts = count_values(slice.values);
    SliceDescriptor where{counts.positions, counts.wins, counts.draws, counts.losses, counts.longest, 0, 0, 0, 0, 0, 0};
    where.block_ends = file.size();
    std::array<std::uint64_t, 2> end{};
    for (const auto& block : coded) {
        for (int part = 0; part < 2; ++part) end[part] += block[part].size();
        const BlockEnds ends{static_cast<std::uint32_t>(end[0]), static_cast<std::uint32_t>(end[1])};
        const auto* raw = reinterpret_cast<const std::uint8_t*>(&ends);
        file.insert(file.end(), raw, raw + sizeof ends);
    }
    if (std::max(end[0], end[1]) > 0xFFFFFFFF) throw std::length_error("the blocks of a slice exceed 4 GiB");
    where.outcome_model = file.size();
    outcome_model.write(file);
    where.distance_model = file.size();
    distance_model.write(file);
    where.outcomes = file.size();
    where.distances = where.outcomes + end[0];
    where.end = where.distances + end[1];
    for (int part = 0; part < 2; ++part) {
        for (const auto& block : coded) file.insert(file.end(), block[part].begin(), block[part].end());
    }
    file.resize((file.size() + 7) / 8 * 8);  // the next slice's block ends are aligned
    return where;
}

// Writes to a name of its own, makes sure it is on the disk, and only then gives the file its name.
inline void write_atomically(const std::filesystem::path& path, const Bytes& bytes) {
    const std::filesystem::path partial = path.string() + ".partial";
    const auto fail = [&](const char* what) {
        const int reason = errno;
        ::unlink(partial.c_str());
        errno = reason;
        throw TableError("cannot " + std::string(what) + " " + partial.string() + ": " + std::strerror(errno));
    };
    const int file = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) fail("create");
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t wrote = ::write(file, bytes.data() + done, bytes.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) break;
        done += static_cast<std::size_t>(wrote);
    }
    const bool whole = done == bytes.size() && ::fsync(file) == 0;
    const int reason = errno;
    ::close(file);
    errno = reason;
    if (!whole) fail("write");
    if (::rename(partial.c_str(), path.c_str()) != 0) fail("rename");
}

// Slices of one material and its turned self, as PairSolver returns them, into the file of that material.
template <class Tick>
void write_table(const std::filesystem::path& path, const std::vector<SolvedSlice>& slices, int threads, Tick&& tick) {
    const Material& material = slices.front().index.material();
    FileHeader header;
    for (int side = 0; side < 2; ++side) {
        header.material[2 * side] = static_cast<std::uint8_t>(material.men[side]);
        header.material[2 * side + 1] = static_cast<std::uint8_t>(material.kings[side]);
    }
    header.slices = static_cast<std::uint32_t>(slices.size());
    Bytes file(sizeof header + slices.size() * sizeof(SliceDescriptor));
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const SliceDescriptor where = append_slice(file, slices[i], threads, tick);
        std::memcpy(file.data() + sizeof header + i * sizeof where, &where, sizeof where);
    }
    header.file_bytes = file.size();
    std::memcpy(file.data(), &header, sizeof header);
    header.checksum = file_checksum(file);
    std::memcpy(file.data(), &header, sizeof header);
    write_atomically(path, file);
}

}  // namespace boardwright::draughts
