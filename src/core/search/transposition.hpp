// The transposition table: fixed size, shared by several threads without locks.
//
// An entry is two words, the key being stored xor'd with the data (Hyatt and Mann, 2002): an entry torn by two
// writers matches neither key and is ignored. Four entries share a cache line; a new entry replaces the one of
// its own position, else the shallowest, entries of older searches counting as shallower.
#pragma once

#include <atomic>
#include <bit>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>

#include "game.hpp"

namespace boardwright {

enum class Bound : std::uint8_t { kNone = 0, kUpper = 1, kLower = 2, kExact = 3 };

struct StoredSearch {
    Action action = kNoAction;  // best or refuting, or kNoAction
    std::int16_t value = 0;
    std::int8_t depth = 0;
    Bound bound = Bound::kNone;
};

class TranspositionTable {
  public:
    // `bytes` is rounded down to a power of two, at least one cache line.
    explicit TranspositionTable(std::size_t bytes) {
        const std::size_t buckets = std::bit_floor(std::max(bytes, sizeof(Bucket)) / sizeof(Bucket));
        // The system zeroes pages at the first touch: a large table costs nothing until used.
        buckets_.reset(static_cast<Bucket*>(std::calloc(buckets + 1, sizeof(Bucket))));
        if (!buckets_) throw std::bad_alloc();
        const auto address = reinterpret_cast<std::uintptr_t>(buckets_.get());
        aligned_ = reinterpret_cast<Bucket*>((address + sizeof(Bucket) - 1) / sizeof(Bucket) * sizeof(Bucket));
        mask_ = buckets - 1;
    }

    // Entries written from now on count as newer than the present ones.
    void new_search() { age_ = (age_ + 1) & kAges; }

    std::optional<StoredSearch> find(std::uint64_t key) const {
        for (const Entry& entry : bucket(key).entries) {
            const std::uint64_t data = entry.data.load(std::memory_order_relaxed);
            if ((entry.key.load(std::memory_order_relaxed) ^ data) == key && data != 0) return unpack(data);
        }
        return std::nullopt;
    }

    void store(std::uint64_t key, StoredSearch what) {
        Entry* victim = nullptr;
        int lowest = 1 << 20;
        for (Entry& entry : bucket(key).entries) {
            const std::uint64_t data = entry.data.load(std::memory_order_relaxed);
            if ((entry.key.load(std::memory_order_relaxed) ^ data) == key && data != 0) {
                if (what.action == kNoAction) what.action = unpack(data).action;
                victim = &entry;
                break;
            }
            const int old = static_cast<int>((age_ - (data >> 42)) & kAges);
            const int priority = data == 0 ? -(1 << 10) : unpack(data).depth - 8 * old;
            if (priority < lowest) {
                lowest = priority;
                victim = &entry;
            }
        }
        const std::uint64_t data = pack(what);
        victim->key.store(key ^ data, std::memory_order_relaxed);
        victim->data.store(data, std::memory_order_relaxed);
    }

  private:
    struct Entry {
        std::atomic<std::uint64_t> key, data;
    };
    struct Bucket {
        Entry entries[4];
    };
    static_assert(sizeof(Bucket) == 64);
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };

    static constexpr std::uint64_t kAges = 63;

    Bucket& bucket(std::uint64_t key) const { return aligned_[key & mask_]; }

    std::uint64_t pack(const StoredSearch& what) const {
        return static_cast<std::uint16_t>(what.action + 1) |
               std::uint64_t{static_cast<std::uint16_t>(what.value)} << 16 |
               std::uint64_t{static_cast<std::uint8_t>(what.depth)} << 32 |
               std::uint64_t{static_cast<std::uint8_t>(what.bound)} << 40 | age_ << 42;
    }

    static StoredSearch unpack(std::uint64_t data) {
        return {static_cast<Action>(data & 0xFFFF) - 1, static_cast<std::int16_t>(data >> 16),
                static_cast<std::int8_t>(data >> 32), static_cast<Bound>((data >> 40) & 3)};
    }

    std::unique_ptr<Bucket, Free> buckets_;
    Bucket* aligned_;
    std::uint64_t mask_;
    std::uint64_t age_ = 0;
};

}  // namespace boardwright
