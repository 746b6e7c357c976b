// A loop shared among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace boardwright::draughts {

// Called between pieces of work by the thread that started it; may throw to cancel.
using Tick = std::function<void()>;

// Splits 0 .. total - 1 into pieces and calls work(first, last) for each on up to `threads` threads, the calling one
// included. An exception of `work` or `tick` stops all threads and is thrown again.
inline void in_parallel(std::uint64_t total, std::uint64_t piece, int threads, const Tick& tick,
                        const std::function<void(std::uint64_t first, std::uint64_t last)>& work) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stop{false};
    std::exception_ptr failure;
    std::mutex failing;
    const auto run = [&](bool calls_tick) {
        try {
            while (!stop) {
                const std::uint64_t first = next.fetch_add(piece);
                if (first >= total) return;
                work(first, std::min(total, first + piece));
                if (calls_tick) tick();
            }
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
            stop = true;
        }
    };
    std::vector<std::thread> helpers;
    const std::uint64_t useful = std::min<std::uint64_t>(std::max(threads, 1), (total + piece - 1) / piece);
    try {
        for (std::uint64_t i = 1; i < useful; ++i) helpers.emplace_back(run, false);
    } catch (const std::system_error&) {
        // The system refuses more threads; those that started, and this one, do the work.
    }
    run(true);
    for (std::thread& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace boardwright::draughts
