#include "run/product_runner.hpp"

#include <cstdlib>

#include "device/remote_runner.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

std::string prepared_product_runner() {
  const RunnerPlaces places = RunnerPlaces::of_this_machine();
  const std::filesystem::path program = places.programs / "kjoule-blas";
  if (!std::filesystem::exists(program))
    throw Error("the program kjoule-blas, which multiplies matrices, is not in the folder of kjoule",
                "install the CUDA toolkit (cuda.h, cupti.h), then run make build in kjoule's source tree");
  setenv("LD_LIBRARY_PATH", places.library_path().c_str(), 1);
  return program;
}

std::unique_ptr<Runner> start_product_runner() {
  auto runner = std::make_unique<RemoteRunner>(
      std::vector<std::string>{prepared_product_runner(), "--fd", "{fd}"}, "kjoule-blas");
  runner->start({.device = "cuda"});
  return runner;
}

}  // namespace kjoule
