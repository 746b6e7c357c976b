// Ctrl-C during long work: the engine runs without Python's GIL and must check for signals.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

namespace boardwright {

// Rate-limited to forty checks a second.
class SignalCheck {
  public:
    // When a check is due, lets Python handle its signals, throws what a handler raises, and returns what `then`
    // returns, called with the GIL held; else false.
    template <class Then>
    bool operator()(Then&& then) {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(25)) return false;
        last_ = now;
        nanobind::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        return then();
    }

    void operator()() {
        (*this)([] { return false; });
    }

  private:
    std::chrono::steady_clock::time_point last_{};  // due at once
};

}  // namespace boardwright
