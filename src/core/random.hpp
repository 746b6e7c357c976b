// A small seeded generator: SplitMix64 (Steele, Lea and Flood, 2014), one stream per (seed, index).
#pragma once

#include "squares.hpp"

namespace boardwright {

class Random {
  public:
    Random(std::uint64_t seed, std::uint64_t index) : state_(seed) {
        state_ = next() ^ (index * 0xD1B54A32D192ED03ull);
        state_ = next();
    }

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }

    // Uniform in 0 .. bound - 1; the bias of the multiplication is below bound / 2^64.
    int below(int bound) { return static_cast<int>((uint128{next()} * static_cast<std::uint64_t>(bound)) >> 64); }

  private:
    std::uint64_t state_;
};

}  // namespace boardwright
