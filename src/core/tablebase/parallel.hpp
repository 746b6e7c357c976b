// A loop shared among threads.
#pragma once

#include <cstdint>
#include <functional>

namespace boardwright::draughts {

// Called between pieces of work by the thread that started it; may throw to cancel.
using Tick = std::function<void()>;

// Splits 0 .. total - 1 into pieces and calls work(first, last) for each on up to `threads` threads, the calling one
// included. An exception of `work` or `tick` stops all threads and is thrown again.
void in_parallel(std::uint64_t total, std::uint64_t piece, int threads, const Tick& tick,
                 const std::function<void(std::uint64_t first, std::uint64_t last)>& work);

}  // namespace boardwright::draughts
