// Endgame tables of English draughts: how a block of positions is compressed.
//
// Outcomes and distances are coded separately, bit by bit, with an adaptive arithmetic coder. The probability of each
// bit depends on the values of the positions just before it and one row before it; it starts from the frequencies of
// the whole slice, which the file carries, and adapts within the block. Positions with captures or without moves are
// not stored: the reader generates the boards of a block, recognises them, and finds their values by search.
#pragma once

#include <span>

#include "tablebase/value.hpp"

namespace boardwright::draughts {

using Bytes = std::vector<std::uint8_t>;

// The probability, in 65536ths, that a bit is set, by context.
class BitModel {
  public:
    explicit BitModel(std::size_t contexts) : chances_(contexts, 1 << 15) {}

    std::uint32_t chance(std::size_t context) const { return chances_[context]; }
    void adapt(std::size_t context, bool bit);
    // Sets a probability from frequencies, rounded to what write() stores.
    void fit(std::size_t context, std::uint64_t clear, std::uint64_t set);
    void write(Bytes& out) const;
    bool read(std::span<const std::uint8_t> in);  // false where the bytes are not a model of this size

  private:
    std::vector<std::uint16_t> chances_;
};

struct BlockModels {
    static constexpr std::size_t kOutcomeContexts = 3 * 3 * 4 * 2, kDistanceContexts = 20 * 3 * 2 * 128;

    BitModel outcomes{kOutcomeContexts}, distances{kDistanceContexts};
};

// Some consecutive positions of a slice and their values.
class Block {
  public:
    static constexpr int kPositions = 1024;

    static std::uint64_t blocks_of(const SliceIndex& slice) { return (slice.size() + kPositions - 1) / kPositions; }

    Block(const SliceIndex& slice, std::uint64_t number);

    int size() const { return size_; }
    // Gaps, and positions that are not stored, have no value: kGap or kDrawn.
    std::span<const Value> values() const { return {values_.data(), static_cast<std::size_t>(size_)}; }
    void fill(std::span<const Value> values);

    // Each codes every bit once; a coder counts, writes or reads it.
    template <class Coder>
    void code_outcomes(Coder& coder);
    template <class Coder>
    void code_distances(Coder& coder);  // after the outcomes

    std::array<Bytes, 2> encode(const BlockModels& models);  // outcomes, distances
    void decode(const BlockModels& models, std::span<const std::uint8_t> outcomes,
                std::span<const std::uint8_t> distances);
    // Without distances, which is quicker: wins and losses get the least value of their kind.
    void decode_outcomes(const BlockModels& models, std::span<const std::uint8_t> outcomes);

  private:
    static constexpr std::uint8_t kNotStored = 3;  // in place of an outcome

    std::int64_t row_;
    int size_;
    std::array<Value, kPositions> values_;
    std::array<std::uint8_t, kPositions> outcomes_;
};

// Counts the bits of blocks, to fit models to them.
class BlockStatistics {
  public:
    void add(Block& block);
    void add(const BlockStatistics& other);
    BlockModels models() const;

  private:
    using Counts = std::vector<std::array<std::uint64_t, 2>>;
    Counts outcomes_{BlockModels::kOutcomeContexts}, distances_{BlockModels::kDistanceContexts};
};

}  // namespace boardwright::draughts
