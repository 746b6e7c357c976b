#include "tablebase/codec.hpp"

#include <cstdlib>
#include <utility>

namespace boardwright::draughts {

inline void BitModel::adapt(std::size_t context, bool bit) {
    constexpr int kInertia = 5;  // the higher, the slower the adaptation
    std::uint16_t& chance = chances_[context];
    const int change = bit ? (65535 - chance) >> kInertia : -(chance >> kInertia);
    chance = static_cast<std::uint16_t>(chance + change);
}

namespace {

constexpr std::uint16_t chance_of(int byte) { return static_cast<std::uint16_t>(byte << 8 | 0x80); }

// A class of distances to expect between two neighbours (-1: unknown), and how well they agree.
unsigned expected_distance(int last, int above) {
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

// Counts bits by context.
struct BitCounter {
    std::vector<std::array<std::uint64_t, 2>>& counts;

    bool bit(std::size_t context, bool bit) {
        ++counts[context][bit];
        return bit;
    }
};

// An interval of 32-bit numbers, halved in proportion to the probability of each bit: a set bit takes the lower part.
struct Interval {
    BitModel model;
    std::uint32_t low = 0, high = 0xFFFFFFFF;

    std::uint32_t middle(std::size_t context) const {
        return low + static_cast<std::uint32_t>((std::uint64_t{high - low} * model.chance(context)) >> 16);
    }
    // Calls shift() for every leading byte that can no longer change, before it is dropped.
    template <class Shift>
    void narrow(std::size_t context, bool bit, std::uint32_t middle, Shift&& shift) {
        (bit ? high : low) = bit ? middle : middle + 1;
        model.adapt(context, bit);
        for (; (low ^ high) < (1u << 24); low <<= 8, high = high << 8 | 0xFF) shift();
    }
};

class BitWriter {
  public:
    explicit BitWriter(const BitModel& model) : interval_{model} {}

    bool bit(std::size_t context, bool bit) {
        interval_.narrow(context, bit, interval_.middle(context),
                         [&] { out_.push_back(static_cast<std::uint8_t>(interval_.high >> 24)); });
        return bit;
    }

    // The shortest bytes that end inside the interval; a reader takes missing bytes for zeros.
    Bytes finish() {
        for (int kept = 1; interval_.low != 0; ++kept) {
            const std::uint32_t end = kept == 4 ? interval_.high : interval_.high & ~(0xFFFFFFFFu >> (8 * kept));
            if (end < interval_.low) continue;
            for (int i = 0; i < kept; ++i) out_.push_back(static_cast<std::uint8_t>(end >> (24 - 8 * i)));
            break;
        }
        while (!out_.empty() && out_.back() == 0) out_.pop_back();
        return std::move(out_);
    }

  private:
    Interval interval_;
    Bytes out_;
};

class BitReader {
  public:
    BitReader(const BitModel& model, std::span<const std::uint8_t> in) : interval_{model}, in_(in) {
        for (int i = 0; i < 4; ++i) shift();
    }

    bool bit(std::size_t context, bool) {
        const std::uint32_t middle = interval_.middle(context);
        const bool bit = code_ <= middle;
        interval_.narrow(context, bit, middle, [&] { shift(); });
        return bit;
    }

  private:
    void shift() { code_ = code_ << 8 | (at_ < in_.size() ? in_[at_++] : 0); }

    Interval interval_;
    std::span<const std::uint8_t> in_;
    std::size_t at_ = 0;
    std::uint32_t code_ = 0;
};

}  // namespace

void BitModel::fit(std::size_t context, std::uint64_t clear, std::uint64_t set) {
    if (clear + set == 0) return;
    const double share = (static_cast<double>(set) + 0.4) / (static_cast<double>(clear + set) + 0.8);
    chances_[context] = chance_of(std::clamp(static_cast<int>(share * 256), 1, 255));
}

// A byte a context; a zero and a count stand for up to 255 contexts that never occur.
void BitModel::write(Bytes& out) const {
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

bool BitModel::read(std::span<const std::uint8_t> in) {
    std::size_t context = 0;
    for (std::size_t at = 0; at < in.size(); ++at) {
        if (in[at] != 0) {
            if (context == chances_.size()) return false;
            chances_[context++] = chance_of(in[at]);
        } else {
            if (++at == in.size() || in[at] > chances_.size() - context) return false;
            context += in[at];
        }
    }
    return context == chances_.size();
}

Block::Block(const SliceIndex& slice, std::uint64_t number) : row_(static_cast<std::int64_t>(slice.row())) {
    const std::uint64_t first = number * kPositions;
    assert(first < slice.size());
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

void Block::fill(std::span<const Value> values) {
    for (int i = 0; i < size_; ++i) {
        if (outcomes_[i] == kNotStored) continue;
        values_[i] = values[i];
        outcomes_[i] = static_cast<std::uint8_t>(outcome(values[i]));
    }
}

template <class Coder>
void Block::code_outcomes(Coder& coder) {
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

// Seven bits each, half the distance, since the outcome says whether it is odd.
template <class Coder>
void Block::code_distances(Coder& coder) {
    std::array<int, 3> last{-1, -1, -1};  // by outcome
    for (int i = 0; i < size_; ++i) {
        const unsigned outcome = outcomes_[i];
        if (outcome == kNotStored || outcome == static_cast<unsigned>(Outcome::kDraw)) continue;
        const bool win = outcome == static_cast<unsigned>(Outcome::kWin);
        const int above = i >= row_ && outcomes_[i - row_] == outcome ? values_[i - row_] / 2 : -1;
        const unsigned context = (expected_distance(last[outcome], above) * 2 + win) * 128;
        unsigned node = 1;
        for (int shift = 7; shift > 0; --shift) node = node * 2 + coder.bit(context + node, (values_[i] >> shift) & 1);
        last[outcome] = static_cast<int>(node - 128);
        values_[i] = static_cast<Value>((node - 128) * 2 + win);
    }
}

std::array<Bytes, 2> Block::encode(const BlockModels& models) {
    BitWriter outcomes(models.outcomes), distances(models.distances);
    code_outcomes(outcomes);
    code_distances(distances);
    return {outcomes.finish(), distances.finish()};
}

void Block::decode(const BlockModels& models, std::span<const std::uint8_t> outcomes,
                   std::span<const std::uint8_t> distances) {
    decode_outcomes(models, outcomes);
    BitReader reader(models.distances, distances);
    code_distances(reader);
}

void Block::decode_outcomes(const BlockModels& models, std::span<const std::uint8_t> outcomes) {
    BitReader reader(models.outcomes, outcomes);
    code_outcomes(reader);
    for (int i = 0; i < size_; ++i) {
        if (outcomes_[i] == static_cast<std::uint8_t>(Outcome::kWin)) values_[i] = 1;
        if (outcomes_[i] == static_cast<std::uint8_t>(Outcome::kLoss)) values_[i] = 0;
    }
}

void BlockStatistics::add(Block& block) {
    BitCounter outcomes{outcomes_}, distances{distances_};
    block.code_outcomes(outcomes);
    block.code_distances(distances);
}

void BlockStatistics::add(const BlockStatistics& other) {
    const auto add_counts = [](Counts& into, const Counts& from) {
        for (std::size_t i = 0; i < into.size(); ++i) {
            for (int bit = 0; bit < 2; ++bit) into[i][bit] += from[i][bit];
        }
    };
    add_counts(outcomes_, other.outcomes_);
    add_counts(distances_, other.distances_);
}

BlockModels BlockStatistics::models() const {
    BlockModels models;
    for (std::size_t i = 0; i < outcomes_.size(); ++i) models.outcomes.fit(i, outcomes_[i][0], outcomes_[i][1]);
    for (std::size_t i = 0; i < distances_.size(); ++i) models.distances.fit(i, distances_[i][0], distances_[i][1]);
    return models;
}

}  // namespace boardwright::draughts
