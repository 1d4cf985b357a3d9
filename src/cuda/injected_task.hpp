#pragma once
// The module cuda is the library libkjoule_inject.so, which the CUDA driver loads into the user's program. In
// the program, main.cpp starts one of three InjectedTasks: the measuring task records and replays an
// iteration for kjoule (measuring_task.cpp), the waiting task waits until kjoule requests a measurement
// (waiting_task.cpp), and the observing task logs the whole run (observing_task.cpp). The measuring task
// connects a ProgramMonitor (folder watch), which sees all launches and pauses the program, with a CudaDevice
// (folder replay), which receives kjoule's requests over a socket. Read first: this file,
// watch/program_monitor.hpp, replay/cuda_device.hpp.

#include <filesystem>
#include <memory>

#include "device/injection_options.hpp"

namespace kjoule::cuda {

/// The work of the injected library in the program. A task is never destroyed, because threads of the program
/// may execute callbacks of the task until the process ends.
class InjectedTask {
 public:
  virtual ~InjectedTask() = default;
  /// Begins the task; called when CUDA is initialised. Later calls do nothing.
  virtual void start() = 0;
  /// Completes the task; called when the program ends by itself.
  virtual void program_ends() = 0;
};

/// Returns the task that records an iteration and replays it for kjoule, which listens on `options.socket`.
std::unique_ptr<InjectedTask> make_measuring_task(InjectionOptions options);
/// Returns the task that waits under the name `options.waits_as` until kjoule connects, then records and
/// replays iterations for kjoule, and lets the program continue after each measurement.
std::unique_ptr<InjectedTask> make_waiting_task(const InjectionOptions& options);
/// Returns the task that logs the whole run in a folder within `folder` that is named by the process id.
std::unique_ptr<InjectedTask> make_observing_task(const std::filesystem::path& folder);

}  // namespace kjoule::cuda
