// The module sudokumill_native._kernel: batches from Python to the kernel and back. What it promises is written in
// _kernel.pyi. Only this folder knows Python.
#include "module.hpp"

#include "../kernel/batch/dispatch.hpp"

NB_MODULE(_kernel, module) {
    using namespace sudokumill;
    nanobind::list builds;
    for (const Engine* engine : runnable_engines()) {
        builds.append(engine->name);
    }
    module.attr("builds") = nanobind::tuple(builds);
    bind_solving(module);
    bind_making(module);
    bind_canonical(module);
    bind_grading(module);
    bind_peer(module);
}
