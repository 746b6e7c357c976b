// Bitboards of up to 128 squares.
#pragma once

#include <bit>
#include <cstdint>

namespace boardwright {

__extension__ typedef unsigned __int128 uint128;

class Squares {
  public:
    constexpr Squares() = default;
    constexpr explicit Squares(uint128 bits) : bits_(bits) {}

    static constexpr Squares of(int square) { return Squares(uint128{1} << square); }

    constexpr bool any() const { return bits_ != 0; }
    constexpr bool none() const { return bits_ == 0; }
    constexpr bool has(int square) const { return (bits_ >> square) & 1; }
    constexpr int count() const { return std::popcount(low()) + std::popcount(high()); }

    // The lowest square; the set must not be empty.
    constexpr int first() const { return low() != 0 ? std::countr_zero(low()) : 64 + std::countr_zero(high()); }

    // The lowest square, which leaves the set.
    constexpr int take_first() {
        const int square = first();
        bits_ &= bits_ - 1;
        return square;
    }

    // The n-th lowest square, counting from 0; the set must have more than n.
    constexpr int nth(int n) const {
        const int in_low = std::popcount(low());
        std::uint64_t word = n < in_low ? low() : high();
        const int base = n < in_low ? 0 : 64;
        for (n = n < in_low ? n : n - in_low; n > 0; --n) word &= word - 1;
        return base + std::countr_zero(word);
    }

    constexpr Squares operator&(Squares other) const { return Squares(bits_ & other.bits_); }
    constexpr Squares operator|(Squares other) const { return Squares(bits_ | other.bits_); }
    constexpr Squares operator^(Squares other) const { return Squares(bits_ ^ other.bits_); }
    constexpr Squares operator~() const { return Squares(~bits_); }
    constexpr Squares operator<<(int by) const { return Squares(bits_ << by); }
    constexpr Squares operator>>(int by) const { return Squares(bits_ >> by); }
    constexpr Squares& operator&=(Squares other) { return *this = *this & other; }
    constexpr Squares& operator|=(Squares other) { return *this = *this | other; }
    constexpr Squares& operator^=(Squares other) { return *this = *this ^ other; }
    constexpr bool operator==(const Squares&) const = default;

  private:
    constexpr std::uint64_t low() const { return static_cast<std::uint64_t>(bits_); }
    constexpr std::uint64_t high() const { return static_cast<std::uint64_t>(bits_ >> 64); }

    uint128 bits_ = 0;
};

}  // namespace boardwright
