// Endgame tables of English draughts: how a block of positions is written in few bytes.
//
// Outcomes and distances are coded apart, bit by bit, with an arithmetic coder. The probability of each
// bit depends on what the positions just before it and one row before it are worth; it starts from the
// frequencies of the whole slice, which the file carries, and follows the block. Positions with captures
// or without moves are left out: whoever reads a block generates its boards, sees which they are, and
// finds their values by search.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "tablebase_value.hpp"

namespace boardwright::draughts {

using Bytes = std::vector<std::uint8_t>;

// Chances, in 65536ths, that a bit is set, one a context.
class BitModel {
  public:
    explicit BitModel(std::size_t contexts) : chances_(contexts, 1 << 15) {}

    std::uint32_t chance(std::size_t context) const { return chances_[context]; }
    void follow(std::size_t context, bool bit) {
        std::uint16_t& chance = chances_[context];
        const int change = bit ? (65535 - chance) >> kInertia : -(chance >> kInertia);
        chance = static_cast<std::uint16_t>(chance + change);
    }

    // From frequencies, rounded to what write() keeps.
    void learn(std::size_t context, std::uint64_t clear, std::uint64_t set) {
        if (clear + set == 0) return;
        const double share = (static_cast<double>(set) + 0.4) / (static_cast<double>(clear + set) + 0.8);
        chances_[context] = spread(std::clamp(static_cast<int>(share * 256), 1, 255));
    }

    // A byte a context; a zero and a count stand for up to 255 contexts that never occur.
    void write(Bytes& out) const {
        for (std::size_t at = 0; at < chances_.size();) {
            std::size_t idle = 0;
            while (idle < 255 && at + idle < chances_.size() && chances_[at + idle] == 1 << 15) ++idle;
            if (idle > 0) {
                out.push_back(0);
                out.push_back(static_cast<std::uint8_t>(idle));
                at += idle;
            } else {
                out.push_back(static_cast<std::uint8_t>(chances_[at++] >> 8));
            }
        }
    }

    // False where the bytes are no model of this size.
    bool read(std::span<const std::uint8_t> in) {
        std::size_t context = 0;
        for (std::size_t at = 0; at < in.size(); ++at) {
            if (in[at] != 0) {
                if (context == chances_.size()) return false;
                chances_[context++] = spread(in[at]);
            } else {
                if (++at == in.size() || in[at] > chances_.size() - context) return false;
                context += in[at];
            }
        }
        return context == chances_.size();
    }

  private:
    static constexpr int kInertia = 5;
    static constexpr std::uint16_t spread(int byte) { return static_cast<std::uint16_t>(byte << 8 | 0x80); }

    std::vector<std::uint16_t> chances_;
};

// Three ways to go through the same bits: count them, write them, read them. Each has
// bool bit(context, bit), which returns the bit that is there.
class BitCounter {
  public:
    explicit BitCounter(std::size_t contexts) : counts_(contexts) {}

    bool bit(std::size_t context, bool bit) {
        ++counts_[context][bit];
        return bit;
    }
    void add(const BitCounter& other) {
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            for (int bit = 0; bit < 2; ++bit) counts_[i][bit] += other.counts_[i][bit];
        }
    }
    BitModel model() const {
        BitModel model(counts_.size());
        for (std::size_t i = 0; i < counts_.size(); ++i) model.learn(i, counts_[i][0], counts_[i][1]);
        return model;
    }

  private:
    std::vector<std::array<std::uint64_t, 2>> counts_;
};

// Halves an interval of 32-bit numbers in proportion to the chance of each bit; leading bytes that can
// no longer change are put out.
class BitWriter {
  public:
    explicit BitWriter(const BitModel& model) : model_(model) {}

    bool bit(std::size_t context, bool bit) {
        const std::uint32_t middle =
            low_ + static_cast<std::uint32_t>((std::uint64_t{high_ - low_} * model_.chance(context)) >> 16);
        (bit ? high_ : low_) = bit ? middle : middle + 1;
        model_.follow(context, bit);
        for (; (low_ ^ high_) < (1u << 24); low_ <<= 8, high_ = high_ << 8 | 0xFF) {
            out_.push_back(static_cast<std::uint8_t>(high_ >> 24));
        }
        return bit;
    }

    // The shortest bytes that end inside the interval; a reader takes what is missing for zeros.
    Bytes finish() {
        for (int kept = 1; low_ != 0; ++kept) {
            const std::uint32_t end = kept == 4 ? high_ : high_ & ~(0xFFFFFFFFu >> (8 * kept));
            if (end < low_) continue;
            for (int i = 0; i < kept; ++i) out_.push_back(static_cast<std::uint8_t>(end >> (24 - 8 * i)));
            break;
        }
        while (!out_.empty() && out_.back() == 0) out_.pop_back();
        return std::move(out_);
    }

  private:
    BitModel model_;
    std::uint32_t low_ = 0, high_ = 0xFFFFFFFF;
    Bytes out_;
};

class BitReader {
  public:
    BitReader(const BitModel& model, std::span<const std::uint8_t> in) : model_(model), in_(in) {
        for (int i = 0; i < 4; ++i) code_ = code_ << 8 | next();
    }

    bool bit(std::size_t context, bool) {
        const std::uint32_t middle =
            low_ + static_cast<std::uint32_t>((std::uint64_t{high_ - low_} * model_.chance(context)) >> 16);
        const bool bit = code_ <= middle;
        (bit ? high_ : low_) = bit ? middle : middle + 1;
        model_.follow(context, bit);
        for (; (low_ ^ high_) < (1u << 24); low_ <<= 8, high_ = high_ << 8 | 0xFF) code_ = code_ << 8 | next();
        return bit;
    }

  private:
    std::uint32_t next() { return at_ < in_.size() ? in_[at_++] : 0; }

    BitModel model_;
    std::span<const std::uint8_t> in_;
    std::size_t at_ = 0;
    std::uint32_t low_ = 0, high_ = 0xFFFFFFFF, code_ = 0;
};

// Some consecutive positions of a slice, with room for their values.
class Block {
  public:
    static constexpr int kPositions = 1024;

    static std::uint64_t blocks_of(const SliceIndex& slice) { return (slice.size() + kPositions - 1) / kPositions; }

    Block(const SliceIndex& slice, std::uint64_t number)
        : row_(static_cast<std::int64_t>(slice.row())) {
        const std::uint64_t first = number * kPositions;
        size_ = static_cast<int>(std::min<std::uint64_t>(kPositions, slice.size() - first));
        SliceWalk walk(slice, first);
        for (int i = 0; i < size_; ++i, walk.advance()) {
            values_[i] = walk.at_gap() ? kGap : kDrawn;
            outcomes_[i] = kNotStored;
            if (walk.at_gap()) continue;
            const Origins moves = origins(walk.board(), 0);
            if (moves.any() && !moves.jumps) outcomes_[i] = static_cast<std::uint8_t>(Outcome::kDraw);
        }
    }

    int size() const { return size_; }
    // Of gaps, and of positions that are not stored, there are none to be had: kGap or kDrawn.
    std::span<const Value> values() const { return {values_.data(), static_cast<std::size_t>(size_)}; }

    void fill(std::span<const Value> values) {
        for (int i = 0; i < size_; ++i) {
            if (outcomes_[i] == kNotStored) continue;
            values_[i] = values[i];
            outcomes_[i] = static_cast<std::uint8_t>(outcome(values[i]));
        }
    }

    static constexpr std::size_t kOutcomeContexts = 3 * 3 * 4 * 2;

    // Wins and losses come out as the least value of their kind until the distances are known.
    template <class Coder>
    void code_outcomes(Coder& coder) {
        unsigned last = 1, second_last = 1;
        for (int i = 0; i < size_; ++i) {
            std::uint8_t& outcome = outcomes_[i];
            if (outcome == kNotStored) continue;
            const unsigned above = i >= row_ ? outcomes_[i - row_] : kNotStored;
            const std::size_t context = ((last * 3 + second_last) * 4 + above) * 2;
            unsigned now = last;
            if (!coder.bit(context, outcome == last)) {
                const unsigned next = (last + 1) % 3, other = (last + 2) % 3;
                now = coder.bit(context + 1, outcome == next) ? next : other;
            }
            if (outcome != now) outcome = static_cast<std::uint8_t>(now);
            second_last = last;
            last = now;
        }
    }

    void values_from_outcomes() {
        for (int i = 0; i < size_; ++i) {
            if (outcomes_[i] == static_cast<std::uint8_t>(Outcome::kWin)) values_[i] = 1;
            if (outcomes_[i] == static_cast<std::uint8_t>(Outcome::kLoss)) values_[i] = 0;
        }
    }

    static constexpr std::size_t kDistanceContexts = 20 * 3 * 2 * 128;

    // After the outcomes: seven bits each, half the distance, since the outcome says whether it is odd.
    template <class Coder>
    void code_distances(Coder& coder) {
        std::array<int, 3> last{-1, -1, -1};  // by outcome
        for (int i = 0; i < size_; ++i) {
            const unsigned outcome = outcomes_[i];
            if (outcome == kNotStored || outcome == static_cast<unsigned>(Outcome::kDraw)) continue;
            const bool win = outcome == static_cast<unsigned>(Outcome::kWin);
            const int above = i >= row_ && outcomes_[i - row_] == outcome ? values_[i - row_] / 2 : -1;
            const unsigned context = (near(last[outcome], above) * 2 + win) * 128;
            unsigned node = 1;
            for (int shift = 7; shift > 0; --shift) {
                node = node * 2 + coder.bit(context + node, (values_[i] >> shift) & 1);
            }
            last[outcome] = static_cast<int>(node - 128);
            values_[i] = static_cast<Value>((node - 128) * 2 + win);
        }
    }

  private:
    static constexpr std::uint8_t kNotStored = 3;  // in the place of an outcome

    // A class of distances to expect between two neighbours (-1: unknown), and how well they agree.
    static unsigned near(int last, int above) {
        const bool both = last >= 0 && above >= 0;
        const int middle = both ? (last + above + 1) / 2 : std::max(last, above);
        const int apart = both ? std::abs(last - above) : 0;
        constexpr std::array<int, 8> steps{11, 15, 19, 23, 31, 39, 55, 127};
        unsigned level = static_cast<unsigned>(middle + 1);
        if (middle > steps[0]) {
            level = 12;
            while (middle > steps[level - 12]) ++level;
        }
        return level * 3 + (apart == 0 ? 0 : apart < 3 ? 1 : 2);
    }

    std::int64_t row_;
    int size_;
    std::array<Value, kPositions> values_;
    std::array<std::uint8_t, kPositions> outcomes_;
};

}  // namespace boardwright::draughts
