#include <CLI/CLI.hpp>

#include "device/serve.hpp"
#include "kjoule_version.hpp"
#include "torch/failure.hpp"
#include "torch/open_work.hpp"
#include "torch/profile_pass.hpp"
#include "torch/recorder.hpp"
#include "torch/run_iterations.hpp"
#include "torch/torch_runner.hpp"

namespace {

namespace runner = kjoule::runner;

/// Number of iterations before the profiled one, in which memory is allocated and the fastest kernels are
/// chosen.
constexpr int64_t kIterationsBeforeProfile = 3;

int serve(int socket) {
  runner::TorchRunner runner;
  kjoule::serve(socket, runner, runner::explain);
  // A normal exit would free memory of an unusable device, which fails.
  if (!runner.is_usable()) std::_Exit(1);
  return 0;
}

void profile(runner::Model& model, c10::Device device, const std::string& trace) {
  runner::run_iterations(model, device, kIterationsBeforeProfile);
  const auto iteration = [&] { runner::run_with_own_arguments([&] { model.run(); }); };
  runner::profile_pass(iteration, device, trace);
}

/// Work from the command line: kjoule names a file, and users give options.
struct GivenWork {
  std::string file;
  kjoule::ModelWork model;
  kjoule::RunnerWork by_hand;

  CLI::App* declare(CLI::App& app) {
    auto* what = app.add_option_group("what");
    what->add_option("--work", file, "JSON file that names the work to run and the device");
    auto* path = what->add_option("--model", model.path, "TorchScript (.pt) or AOTInductor (.pt2) file");
    app.add_option("--seq-len", model.seq_len, "tokens per sequence (default: as exported)")->needs(path);
    app.add_option("--batch", model.batch, "samples per iteration (default: as exported)")->needs(path);
    app.add_option("--input", model.inputs,
                   "type, sizes and range of one input, TYPE:SIZExSIZE[:LOW..HIGH], for files that do not "
                   "describe their inputs")
        ->needs(path);
    app.add_option("--seed", model.seed, "seed of the random values of the inputs (default: 0)")->needs(path);
    app.add_option("--device", by_hand.device, "device to run on: cpu (default), cuda, or cuda:N for GPU N")
        ->needs(path);
    app.add_option("--threads", by_hand.threads,
                   "number of libtorch's CPU threads (default: 0, libtorch's own choice)")
        ->needs(path);
    return what;
  }

  kjoule::RunnerWork read() const {
    if (!file.empty()) return kjoule::read_work(file);
    return {.device = by_hand.device, .threads = by_hand.threads, .what = model};
  }
};

/// Runs the work as a program of its own. If this fails, reports the reason.
int run_work(const GivenWork& given, const std::function<void(runner::Model&, c10::Device)>& run) {
  try {
    const kjoule::RunnerWork work = given.read();
    const c10::Device device = runner::choose_device(work);
    const auto model = runner::open_work(work, device);
    if (!model)
      throw kjoule::Error(given.file + ": this file contains no work to run",
                          "name a file that contains a model, calls or operators");
    run(*model, device);
    return 0;
  } catch (const std::exception& error) {
    runner::report_failure(error);
    return 1;
  }
}

}  // namespace

/// Answers requests of the kjoule that started this process, or runs work as a program that kjoule may
/// measure.
int main(int argc, char** argv) {
  CLI::App app(
      "Runs models and operators for kjoule, which starts this program: on the CPU it answers kjoule's "
      "requests over a socket, on a GPU it is measured like any program.");
  app.set_version_flag("--version", std::string("kjoule-torch ") + kjoule::kjoule_version);
  int socket = -1;
  int64_t iterations = 0;
  std::string trace;
  GivenWork work;
  auto* how = app.add_option_group("how");
  auto* serves =
      how->add_option("--fd", socket, "file descriptor of the socket on which kjoule sends its requests");
  how->add_option("--run", iterations, "number of iterations to run, instead of answering requests (--fd)");
  auto* profiles =
      how->add_option("--profile", trace, "file to write PyTorch's profiler trace of one iteration to");
  how->require_option(1);
  auto* what = work.declare(app);
  what->require_option(0, 1);
  CLI11_PARSE(app, argc, argv);
  const c10::InferenceMode inference;
  if (serves->count() > 0) return serve(socket);
  if (what->count_all() == 0) return app.exit(CLI::RequiredError("--work or --model"));
  return run_work(work, [&](runner::Model& model, c10::Device device) {
    if (profiles->count() > 0) return profile(model, device, trace);
    runner::run_iterations(model, device, iterations);
  });
}
