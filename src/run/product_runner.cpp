#include "run/product_runner.hpp"

#include <utility>

#include "device/remote_runner.hpp"

namespace kjoule {

RunnerCommand product_runner_command(std::vector<std::string> arguments) {
  const RunnerPlaces places = RunnerPlaces::of_this_machine();
  const std::filesystem::path program = places.programs / "kjoule-blas";
  if (!std::filesystem::exists(program))
    throw Error("the program kjoule-blas, which multiplies matrices, is not in the folder of kjoule",
                "install the CUDA toolkit (cuda.h, cupti.h), then run make build in kjoule's source tree");
  return places.command(program, std::move(arguments));
}

std::unique_ptr<Runner> start_product_runner() {
  const RunnerCommand command = product_runner_command({"--fd", "{fd}"});
  auto runner = std::make_unique<RemoteRunner>(command.words, command.environment, "kjoule-blas");
  runner->start({.device = "cuda"});
  return runner;
}

}  // namespace kjoule
