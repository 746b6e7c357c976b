// Ctrl-C during long work: the engine runs without Python's GIL and must check for signals.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <utility>

namespace boardwright {

// Rate-limited to forty checks a second: lets Python handle its signals, and throws what a handler raises.
class SignalCheck {
  public:
    void operator()() {
        if (!due()) return;
        nanobind::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    }

    bool due() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(25)) return false;
        last_ = now;
        return true;
    }

  private:
    std::chrono::steady_clock::time_point last_{};  // due at once
};

// Whether a search should stop: calls `stopped`, an optional Python callable, at most forty times a second, and
// lets Python handle its signals as well.
class StopCheck {
  public:
    explicit StopCheck(nanobind::object stopped) : stopped_(std::move(stopped)) {}

    bool operator()() {
        if (!signals_.due()) return false;
        nanobind::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        return !stopped_.is_none() && nanobind::cast<bool>(stopped_());
    }

  private:
    nanobind::object stopped_;
    SignalCheck signals_;
};

}  // namespace boardwright
