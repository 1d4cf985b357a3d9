// Entry points of the injected library. The CUDA driver calls InitializeInjection() when it loads the library
// into a program (CUDA_INJECTION64_PATH).

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "base/process/fault.hpp"
#include "cuda/driver/forked_copy.hpp"
#include "cuda/driver/nvtx.hpp"
#include "cuda/injected_task.hpp"
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

std::atomic<bool> cuda_has_started = false;

/// Prepares a process that was just forked. If CUDA had not started before the fork, CUDA and the task can
/// start in this process.
void begin_forked_process() {
  is_forked_copy = cuda_has_started;
  forget_ranges();
}

/// Prepares for forks of this process. The first caller may be CUDA or NVTX.
void expect_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, begin_forked_process);
  (void)registered;
}

/// Returns the task; null if kjoule does nothing in this process. It is made when CUDA starts: a process that
/// only uses NVTX may fork the ranks of the program, each of which has its own environment and its own task.
InjectedTask* task() {
  static InjectedTask* const the_one = make_task().release();
  return the_one;
}

/// Returns whether kjoule may observe this process or one that it forks.
bool is_observed() {
  try {
    return InjectionOptions::from_environment().has_value();
  } catch (const std::exception&) {  // task() reports the reason
    return false;
  }
}

void end_task() {
  if (!is_forked_copy) task()->program_ends();
}

}  // namespace

}  // namespace kjoule::cuda

extern "C" int InitializeInjection() {
  kjoule::cuda::expect_forks();
  if (auto* task = kjoule::cuda::task()) {
    kjoule::cuda::cuda_has_started = true;
    task->start();
    static const int at_exit = std::atexit(kjoule::cuda::end_task);
    (void)at_exit;
  }
  return 1;
}

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  if (!kjoule::cuda::is_observed()) return 1;
  kjoule::cuda::expect_forks();
  kjoule::cuda::hook_ranges(export_table);
  return 1;
}
