#pragma once
#include <functional>
#include <memory>

#include "device/runner.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// A running process of kjoule-torch.
struct StartedRunner {
  std::unique_ptr<Runner> runner;
  std::unique_ptr<Device> device;  ///< null if there is no work
};
/// Starts the kjoule-torch next to kjoule, with work for the CPU or without work. Throws Error if it cannot
/// be started or cannot open the work.
StartedRunner start_runner(const RunnerWork& work);

/// Returns the device, threads and allowed operators of `options`, without work.
RunnerWork runner_place(const SubjectOptions& options);
/// Returns the model of `options` as work.
ModelWork model_work(const SubjectOptions& options);

/// A Runner that is started when it is needed, and started again after a call has ended its process or left
/// it unusable.
class RestartedRunner {
 public:
  using Start = std::function<std::unique_ptr<Runner>()>;
  explicit RestartedRunner(Start start) : start_(std::move(start)) {}
  /// Starts kjoule-torch processes on the device of `place`.
  explicit RestartedRunner(const RunnerWork& place);
  /// Returns a usable Runner. Throws Error if it cannot be started.
  Runner& ready();

 private:
  Start start_;
  std::unique_ptr<Runner> runner_;
};

}  // namespace kjoule
