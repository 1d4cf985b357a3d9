#include <ATen/Parallel.h>

#include <CLI/CLI.hpp>

#include "failure.hpp"
#include "kjoule_version.hpp"
#include "play/serve.hpp"
#include "torch_device.hpp"

/// Serves one model's Tracks to the kjoule that started it.
int main(int argc, char** argv) {
  CLI::App app(
      "Runs a model for kjoule and serves its Tracks over a socket; kjoule starts it, e.g. kjoule compare.");
  app.set_version_flag("--version", std::string("kjoule-torch ") + kjoule::kjoule_version);
  kjoule::child::ModelOptions options;
  int fd = -1;
  int threads = 0;
  app.add_option("--fd", fd, "number of the socket to serve on")->required();
  app.add_option("--model", options.path, "TorchScript (.pt) or AOTInductor (.pt2) file")->required();
  app.add_option("--seq-len", options.seq_len, "tokens of each sequence");
  app.add_option("--batch", options.batch, "samples of an iteration");
  app.add_option("--input", options.inputs, "TYPE:SIZExSIZE[:LOW..HIGH], for files that do not say");
  app.add_option("--seed", options.seed, "of the inputs");
  app.add_option("--threads", threads, "of libtorch; 0: its own choice");
  CLI11_PARSE(app, argc, argv);
  const c10::InferenceMode inference;
  const auto open_device = [&] {
    if (threads > 0) at::set_num_threads(threads);
    return std::make_unique<kjoule::child::TorchDevice>(kjoule::child::open_model(options));
  };
  kjoule::serve(fd, open_device, kjoule::child::explained);
  return 0;
}
