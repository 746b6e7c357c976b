// The compiled module: the bindings of each game are in a file of their own.
#include <nanobind/nanobind.h>

namespace boardwright {

void bind_tablut(nanobind::module_& module);
void bind_draughts(nanobind::module_& module);
void bind_cathedral(nanobind::module_& module);
void bind_tablebase(nanobind::module_& module);

NB_MODULE(_core, module) {
    module.doc() = "Boardwright's scalar engine: one game at a time, as fast as the machine allows.";
    nanobind::set_leak_warnings(false);  // caches of games, and programs that JAX keeps, live to the end of the process
    bind_tablut(module);
    bind_draughts(module);
    bind_cathedral(module);
    bind_tablebase(module);
}

}  // namespace boardwright
