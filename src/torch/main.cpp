#include <CLI/CLI.hpp>

#include "device/serve.hpp"
#include "kjoule_version.hpp"
#include "torch/failure.hpp"
#include "torch/opened_work.hpp"
#include "torch/profiled_pass.hpp"
#include "torch/recorder.hpp"
#include "torch/run_iterations.hpp"
#include "torch/torch_runner.hpp"

namespace {

namespace child = kjoule::child;

/// So many iterations find their memory and fastest kernels before one is profiled.
constexpr int64_t kIterationsBeforeProfile = 3;

int serve(int socket) {
  child::TorchRunner runner;
  kjoule::serve(socket, runner, child::explained);
  if (!runner.is_usable()) std::_Exit(1);  // what would be freed at the end cannot be
  return 0;
}

void profile(child::Model& model, c10::Device device, const std::string& trace) {
  child::run_iterations(model, device, kIterationsBeforeProfile);
  const auto iteration = [&] { child::run_with_own_arguments([&] { model.run(); }); };
  child::profile_pass(iteration, device, trace);
}

/// What a program does that only runs the work in `file`.
int run_work(const std::string& file, const std::function<void(child::Model&, c10::Device)>& run) {
  try {
    const kjoule::RunnerWork work = kjoule::read_work(file);
    const c10::Device device = child::take_place(work);
    const auto model = child::open_work(work, device);
    if (!model) throw kjoule::Error(file + ": nothing to run", "give it a model, calls or operators");
    run(*model, device);
    return 0;
  } catch (const std::exception& error) {
    child::report_failure(error);
    return 1;
  }
}

}  // namespace

/// Serves work to the kjoule that started it, or is a program that a kjoule may measure.
int main(int argc, char** argv) {
  CLI::App app(
      "Runs models and operators for kjoule, which starts it: on the CPU it serves their Tracks over a "
      "socket, on a GPU it is measured like any program.");
  app.set_version_flag("--version", std::string("kjoule-torch ") + kjoule::kjoule_version);
  int socket = -1;
  int64_t iterations = 0;
  std::string trace, work;
  auto* how = app.add_option_group("how");
  auto* serves = how->add_option("--fd", socket, "number of the socket to serve on");
  auto* runs = how->add_option("--run", iterations, "iterations to run, instead of serving");
  auto* profiles =
      how->add_option("--profile", trace, "writes PyTorch's profiler's trace of one iteration to this file");
  how->require_option(1);
  auto* what = app.add_option("--work", work, "JSON of what is to be run, and where");
  what->excludes(serves);
  runs->needs(what);
  profiles->needs(what);
  CLI11_PARSE(app, argc, argv);
  const c10::InferenceMode inference;
  if (serves->count() > 0) return serve(socket);
  return run_work(work, [&](child::Model& model, c10::Device device) {
    if (profiles->count() > 0) return profile(model, device, trace);
    child::run_iterations(model, device, iterations);
  });
}
