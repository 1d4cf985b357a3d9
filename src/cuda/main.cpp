// Entry points of the injected library. The CUDA driver calls InitializeInjection() when it loads the library
// into a program (CUDA_INJECTION64_PATH).

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "base/fault.hpp"
#include "cuda/injected_task.hpp"
#include "cuda/nvtx.hpp"
#include "device/injection_options.hpp"

namespace kjoule::cuda {

namespace {

std::unique_ptr<InjectedTask> make_task() {
  try {
    const auto options = InjectionOptions::from_environment();
    if (!options || !is_measured_rank(*options)) return nullptr;
    if (!options->socket.empty()) return make_measuring_task(*options);
    return options->run_log.empty() ? make_waiting_task(*options) : make_observing_task(options->run_log);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kjoule: %s\n", fault_of(error).line().c_str());
  }
  return nullptr;
}

/// Returns the task, or null when kjoule does nothing in this process. CUDA or NVTX may be the first to call
/// it.
InjectedTask* task() {
  static InjectedTask* const the_one = make_task().release();
  return the_one;
}

}  // namespace

}  // namespace kjoule::cuda

extern "C" int InitializeInjection() {
  if (auto* task = kjoule::cuda::task()) {
    task->start();
    static const int at_exit = std::atexit([] { kjoule::cuda::task()->program_ends(); });
    (void)at_exit;
  }
  return 1;
}

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  if (kjoule::cuda::task() != nullptr) kjoule::cuda::hook_ranges(export_table);
  return 1;
}
