// Ctrl-C during long work: the engine runs without Python's lock and must ask now and then.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

namespace boardwright {

// Called as often as one likes; ten times a second it lets Python handle its signals, and throws what
// a handler raises.
class SignalCheck {
  public:
    void operator()() {
        if (!due()) return;
        nanobind::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    }

    bool due() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(100)) return false;
        last_ = now;
        return true;
    }

  private:
    std::chrono::steady_clock::time_point last_{};  // due at once
};

}  // namespace boardwright
