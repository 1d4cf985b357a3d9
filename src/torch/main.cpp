#include <ATen/Parallel.h>

#include <CLI/CLI.hpp>

#include "device/serve.hpp"
#include "kjoule_version.hpp"
#include "torch/calls.hpp"
#include "torch/failure.hpp"
#include "torch/placement.hpp"
#include "torch/profiled_pass.hpp"
#include "torch/recorder.hpp"
#include "torch/roof.hpp"
#include "torch/run_iterations.hpp"
#include "torch/sampled_model.hpp"
#include "torch/sampling.hpp"
#include "torch/say.hpp"
#include "torch/torch_device.hpp"

namespace {

struct Asked {
  kjoule::child::ModelOptions model;
  std::string calls;  ///< a file of them, instead of a model
  std::string device = "cpu";
  int fd = -1;
  int64_t iterations = 0;
  std::string profile;  ///< the file for a trace
  bool describes = false;
  size_t first_call = 0;
  std::string roof_type;
  std::string operators;  ///< a file of those that are sampled, likewise
  size_t first_sample = 0;
  int threads = 0;

  std::unique_ptr<kjoule::child::Model> open() const {
    if (!operators.empty()) return kjoule::child::open_sampled(operators, model.device);
    return calls.empty() ? kjoule::child::open_model(model) : kjoule::child::open_calls(calls, model.device);
  }
};

int serve(const Asked& asked) {
  const auto open_device = [&] {
    if (asked.threads > 0) at::set_num_threads(asked.threads);
    return std::make_unique<kjoule::child::TorchDevice>(asked.open());
  };
  kjoule::serve(asked.fd, open_device, kjoule::child::explained);
  return 0;
}

int run(Asked asked) {
  try {
    asked.model.device = kjoule::child::place(asked.device);
    if (asked.threads > 0) at::set_num_threads(asked.threads);
    kjoule::child::run_iterations(*asked.open(), asked.model.device, asked.iterations);
    return 0;
  } catch (const std::exception& error) {
    kjoule::child::report_failure(error);
    return 1;
  }
}

/// So many iterations find their memory and fastest kernels before one is profiled.
constexpr int64_t kIterationsBeforeProfile = 3;

int profile(Asked asked) {
  try {
    asked.model.device = kjoule::child::place(asked.device);
    if (asked.threads > 0) at::set_num_threads(asked.threads);
    const auto model = asked.open();
    kjoule::child::run_iterations(*model, asked.model.device, kIterationsBeforeProfile);
    const auto iteration = [&] { kjoule::child::run_with_own_arguments([&] { model->run(); }); };
    kjoule::child::profile_pass(iteration, asked.model.device, asked.profile);
    return 0;
  } catch (const std::exception& error) {
    kjoule::child::report_failure(error);
    return 1;
  }
}

int describe(Asked asked) {
  try {
    asked.model.device = kjoule::child::place(asked.device);
    kjoule::child::say({{"description", asked.open()->description()}});
    return 0;
  } catch (const std::exception& error) {
    kjoule::child::report_failure(error);
    return 1;
  }
}

int try_out(const Asked& asked) {
  try {
    kjoule::child::try_calls(asked.calls, kjoule::child::place(asked.device), asked.first_call);
    return 0;
  } catch (const std::exception& error) {
    kjoule::child::report_failure(error);
    return 1;
  }
}

int find_roof(const Asked& asked) {
  try {
    const c10::Device device = kjoule::child::place(asked.device);
    if (asked.threads > 0) at::set_num_threads(asked.threads);
    kjoule::child::print_roof(asked.roof_type, device);
    return 0;
  } catch (const std::exception& error) {
    kjoule::child::report_failure(error);
    return 1;
  }
}

int sample(const Asked& asked) {
  try {
    const c10::Device device = kjoule::child::place(asked.device);
    if (asked.threads > 0) at::set_num_threads(asked.threads);
    kjoule::child::sample_operators(asked.operators, device, asked.first_sample);
    return 0;
  } catch (const std::exception& error) {
    kjoule::child::report_failure(error);
    return 1;
  }
}

}  // namespace

/// Runs one model: serves its Tracks to the kjoule that started it, or is a program that a kjoule may
/// measure.
int main(int argc, char** argv) {
  CLI::App app(
      "Runs a model for kjoule, which starts it: on the CPU it serves the model's Tracks over a socket, on a "
      "GPU it is measured like any program.");
  app.set_version_flag("--version", std::string("kjoule-torch ") + kjoule::kjoule_version);
  Asked asked;
  auto* how = app.add_option_group("how");
  how->add_option("--fd", asked.fd, "number of the socket to serve on");
  auto* runs = how->add_option("--run", asked.iterations, "iterations to run, instead of serving");
  auto* profiles = how->add_option("--profile", asked.profile,
                                   "writes PyTorch's profiler's trace of one iteration to this file");
  auto* tries =
      how->add_option("--try", asked.first_call, "makes each of the calls once, from this number on");
  auto* roof = how->add_option("--roof", asked.roof_type,
                               "measures what the device does at most, with tensors of this type (Half)");
  auto* samples =
      how->add_option("--sample", asked.first_sample, "times each of the operators, from this number on");
  how->add_flag("--describe", asked.describes, "prints what the file says of itself");
  how->require_option(1);
  app.add_option("--device", asked.device, "to run on: cpu, cuda, or one of several: cuda:1")
      ->capture_default_str();
  auto* what = app.add_option_group("what");
  what->add_option("--model", asked.model.path, "TorchScript (.pt) or AOTInductor (.pt2) file");
  auto* calls =
      what->add_option("--calls", asked.calls, "calls of operators, a line each, instead of a model");
  auto* operators = what->add_option("--operators", asked.operators,
                                     "operators that are sampled, a line each, instead of a model");
  what->require_option(0, 1);
  tries->needs(calls);
  samples->needs(operators);
  app.add_option("--seq-len", asked.model.seq_len, "tokens of each sequence");
  app.add_option("--batch", asked.model.batch, "samples of an iteration");
  app.add_option("--input", asked.model.inputs, "TYPE:SIZExSIZE[:LOW..HIGH], for files that do not say");
  app.add_option("--seed", asked.model.seed, "of the inputs");
  app.add_option("--threads", asked.threads, "of libtorch; 0: its own choice");
  CLI11_PARSE(app, argc, argv);
  const c10::InferenceMode inference;
  if (roof->count() > 0) return find_roof(asked);
  if (what->count_all() == 0) return app.exit(CLI::RequiredError("--model, --calls or --operators"));
  if (tries->count() > 0) return try_out(asked);
  if (samples->count() > 0) return sample(asked);
  if (profiles->count() > 0) return profile(asked);
  if (asked.describes) return describe(asked);
  return runs->count() > 0 ? run(asked) : serve(asked);
}
