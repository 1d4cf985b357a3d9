#include "run/started_runner.hpp"

#include <fmt/format.h>

#include "device/remote_runner.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

StartedRunner start_runner(const RunnerWork& work) {
  StartedRunner started;
  const RunnerCommand command = torch_runner_command({"--fd", "{fd}"});
  started.runner = std::make_unique<RemoteRunner>(command.words, command.environment);
  started.device = started.runner->start(work);
  return started;
}

RunnerWork runner_place(const SubjectOptions& options) {
  RunnerWork place{.device = device_for_runner(options),
                   .threads = options.threads,
                   .allowed_operators = options.allowed_operators};
  if (place.device != "cpu" && options.injection.gpu)
    place.device += fmt::format(":{}", *options.injection.gpu);
  return place;
}

ModelWork model_work(const SubjectOptions& options) {
  return {options.model,  options.seq_len, options.batch,
          options.inputs, options.seed,    options.fuses_operators};
}

RestartedRunner::RestartedRunner(const RunnerWork& place)
    : RestartedRunner([place] { return std::move(start_runner(place).runner); }) {}

Runner& RestartedRunner::ready() {
  if (!runner_ || !runner_->is_usable()) {
    runner_.reset();
    runner_ = start_();
  }
  return *runner_;
}

}  // namespace kjoule
