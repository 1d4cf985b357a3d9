#pragma once
#include <functional>
#include <memory>

#include "device/runner.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// A running process of kjoule-torch.
struct StartedRunner {
  std::unique_ptr<Runner> runner;
  std::unique_ptr<Device> device;  ///< device that runs the work; null if there is no work
};
/// Starts the kjoule-torch that is installed with this kjoule, with work for the CPU or without work. Throws
/// Error if kjoule-torch cannot be started, or cannot open the work.
StartedRunner start_runner(const RunnerWork& work);

/// Returns work with the device, threads and allowed operators of `options`, but without anything to run.
RunnerWork runner_place(const SubjectOptions& options);
/// Returns the model of `options` with its inputs, as work for kjoule-torch.
ModelWork model_work(const SubjectOptions& options);

/// A Runner that is started when it is first needed, and again after a call has ended its process or made it
/// unusable.
class RestartedRunner {
 public:
  using Start = std::function<std::unique_ptr<Runner>()>;
  explicit RestartedRunner(Start start) : start_(std::move(start)) {}
  /// Starts kjoule-torch processes on the device of `place`.
  explicit RestartedRunner(const RunnerWork& place);
  /// Returns a usable Runner, which may be a newly started one. Throws Error if a Runner cannot be started.
  Runner& ready();

 private:
  Start start_;
  std::unique_ptr<Runner> runner_;
};

}  // namespace kjoule
