#include "tablebase/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

namespace boardwright::draughts {
namespace {

static_assert(std::endian::native == std::endian::little, "table files are little-endian and mapped as they are");

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

// Every step is invertible given the word, so a change to any one word always changes the sum.
std::uint64_t checksum(std::span<const std::uint8_t> bytes, std::uint64_t sum) {
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

std::uint64_t file_checksum(std::span<const std::uint8_t> file) {
    FileHeader header;
    std::memcpy(&header, file.data(), sizeof header);
    header.checksum = 0;
    const std::uint64_t sum = checksum({reinterpret_cast<const std::uint8_t*>(&header), sizeof header}, 0);
    return checksum(file.subspan(sizeof header), sum);
}

// Appends the parts of a slice to a file.
SliceDescriptor append_slice(Bytes& file, const SolvedSlice& slice, int threads, const Tick& tick) {
    const std::uint64_t blocks = Block::blocks_of(slice.index);
    const auto filled_block = [&](std::uint64_t number) {
        auto block = std::make_unique<Block>(slice.index, number);
        block->fill(std::span(slice.values).subspan(number * Block::kPositions, block->size()));
        return block;
    };
    BlockStatistics statistics;
    std::mutex adding;
    in_parallel(blocks, 64, threads, tick, [&](std::uint64_t first, std::uint64_t last) {
        BlockStatistics counted;
        for (std::uint64_t number = first; number < last; ++number) counted.add(*filled_block(number));
        const std::lock_guard lock(adding);
        statistics.add(counted);
    });
    const BlockModels models = statistics.models();
    std::vector<std::array<Bytes, 2>> coded(blocks);
    in_parallel(blocks, 64, threads, tick, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t number = first; number < last; ++number)
            coded[number] = filled_block(number)->encode(models);
    });

    SliceDescriptor where{};
    where.counts = SliceCounts::of(slice.values);
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
    models.outcomes.write(file);
    where.distance_model = file.size();
    models.distances.write(file);
    where.outcomes = file.size();
    where.distances = where.outcomes + end[0];
    where.end = where.distances + end[1];
    for (int part = 0; part < 2; ++part) {
        for (const auto& block : coded) file.insert(file.end(), block[part].begin(), block[part].end());
    }
    file.resize((file.size() + 7) / 8 * 8);  // the next slice's block ends are aligned
    return where;
}

// Writes to a temporary name, syncs to disk, and only then renames.
void write_atomically(const std::filesystem::path& path, const Bytes& bytes) {
    const std::filesystem::path partial = path.string() + ".partial";
    const auto fail = [&](const char* what) {
        const int reason = errno;
        ::unlink(partial.c_str());
        throw TableError("cannot " + std::string(what) + " " + partial.string() + ": " + std::strerror(reason));
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
    const bool complete = done == bytes.size() && ::fsync(file) == 0;
    const int reason = errno;
    ::close(file);
    errno = reason;
    if (!complete) fail("write");
    if (::rename(partial.c_str(), path.c_str()) != 0) fail("rename");
}

// Empty where a file contradicts itself.
std::span<const std::uint8_t> between(std::span<const std::uint8_t> part, std::size_t first, std::size_t last) {
    return first <= last && last <= part.size() ? part.subspan(first, last - first) : part.first(0);
}

}  // namespace

std::filesystem::path table_path(const std::filesystem::path& folder, const Material& material) {
    return folder / (material.name() + ".table");
}

std::string how_to_build(const std::filesystem::path& folder, int pieces) {
    return "'boardwright tablebase build --pieces " + std::to_string(pieces) + " --out " + folder.string() + "'";
}

void write_table(const std::filesystem::path& path, const std::vector<SolvedSlice>& slices, int threads,
                 const Tick& tick) {
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

StoredSlice::StoredSlice(const Material& material, std::span<const std::uint8_t> file, const SliceDescriptor& where)
    : index_(material), counts_(where.counts) {
    const std::uint64_t blocks = Block::blocks_of(index_);
    sound_ = where.block_ends % 8 == 0 && where.block_ends <= where.outcome_model &&
             where.outcome_model - where.block_ends == blocks * sizeof(BlockEnds) &&
             where.outcome_model <= where.distance_model && where.distance_model <= where.outcomes &&
             where.outcomes <= where.distances && where.distances <= where.end && where.end <= file.size();
    if (!sound_) return;
    ends_ = {reinterpret_cast<const BlockEnds*>(file.data() + where.block_ends), static_cast<std::size_t>(blocks)};
    outcomes_ = between(file, where.outcomes, where.distances);
    distances_ = between(file, where.distances, where.end);
    sound_ = models_.outcomes.read(between(file, where.outcome_model, where.distance_model)) &&
             models_.distances.read(between(file, where.distance_model, where.outcomes));
}

void StoredSlice::read(Block& block, std::uint64_t number, bool distances) const {
    assert(number < ends_.size());
    const BlockEnds first = number == 0 ? BlockEnds{0, 0} : ends_[number - 1], last = ends_[number];
    const auto outcomes = between(outcomes_, first.outcomes, last.outcomes);
    if (distances) {
        block.decode(models_, outcomes, between(distances_, first.distances, last.distances));
    } else {
        block.decode_outcomes(models_, outcomes);
    }
}

SolvedSlice StoredSlice::read_all(int threads) const {
    SolvedSlice whole{index_, std::vector<Value>(index_.size())};
    in_parallel(
        ends_.size(), 64, threads, [] {},
        [&](std::uint64_t first, std::uint64_t last) {
            for (std::uint64_t number = first; number < last; ++number) {
                Block block(index_, number);
                read(block, number, true);
                std::ranges::copy(block.values(), whole.values.data() + number * Block::kPositions);
            }
        });
    return whole;
}

TableFile::TableFile(const std::filesystem::path& folder, const Material& material) {
    const std::filesystem::path path = table_path(folder, material);
    const auto check = [&](bool good, const std::string& complaint) {
        if (good) return;
        throw TableError("table file " + path.string() + " " + complaint + ": build it again with " +
                         how_to_build(folder, material.pieces()));
    };
    map(path, folder, material);
    FileHeader header;
    check(bytes_.size() >= sizeof header, "is cut short");
    std::memcpy(&header, bytes_.data(), sizeof header);
    check(header.magic == FileHeader::kMagic, "is no draughts table");
    check(header.version == FileHeader::kVersion && header.block_positions == Block::kPositions,
          "is of version " + std::to_string(header.version) + ", not " + std::to_string(FileHeader::kVersion));
    check(header.file_bytes <= bytes_.size(),
          "is cut short (" + std::to_string(bytes_.size()) + " of " + std::to_string(header.file_bytes) + " bytes)");
    check(header.file_bytes == bytes_.size() && header.checksum == file_checksum(bytes_),
          "is damaged (its checksum is wrong)");
    const Material found{{header.material[0], header.material[2]}, {header.material[1], header.material[3]}};
    check(found == material, "holds another material");
    const std::size_t expected = material == material.turned() ? 1 : 2;
    check(header.slices == expected && bytes_.size() >= sizeof header + expected * sizeof(SliceDescriptor),
          "contradicts itself");
    for (std::size_t i = 0; i < expected; ++i) {
        SliceDescriptor where;
        std::memcpy(&where, bytes_.data() + sizeof header + i * sizeof where, sizeof where);
        slices_.emplace_back(i == 0 ? material : material.turned(), bytes_, where);
        check(slices_.back().sound(), "contradicts itself");
    }
}

TableFile::Mapping::~Mapping() {
    if (address) ::munmap(address, size);
}

void TableFile::map(const std::filesystem::path& path, const std::filesystem::path& folder, const Material& material) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) {
        throw TableError("table file " + path.string() + " is missing: build it with " +
                         how_to_build(folder, material.pieces()));
    }
    if (file < 0) throw TableError("cannot open table file " + path.string() + ": " + std::strerror(errno));
    struct stat status{};
    void* address = MAP_FAILED;
    if (::fstat(file, &status) == 0 && status.st_size > 0) {
        address = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    }
    ::close(file);
    if (address == MAP_FAILED) return;  // an empty file is reported as cut short
    mapping_.address = address;
    mapping_.size = static_cast<std::size_t>(status.st_size);
    bytes_ = {static_cast<const std::uint8_t*>(address), mapping_.size};
}

}  // namespace boardwright::draughts
