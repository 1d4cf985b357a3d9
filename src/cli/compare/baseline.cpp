#include <fmt/format.h>

#include "base/process/terminal.hpp"
#include "cli/options/baseline_source.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"

namespace kjoule {

namespace {

class BaselineCommand final : public Command {
 public:
  std::string name() const override { return "baseline"; }
  std::string help() const override {
    return "writes the times and energies of a results folder into one small file, for kjoule diff";
  }
  std::string example() const override { return "kjoule baseline results -o base.json"; }
  void declare(CLI::App& app) override {
    input_file(app.add_option("folder", folder_, "results folder of kjoule compare or kjoule layers"))
        ->required();
    output_file(app.add_option("-o,--output", output_, "file to write; an older baseline is replaced"),
                kBaselineOutput)
        ->capture_default_str();
  }
  int run() override {
    const Baseline baseline = baseline_of_folder(folder_);
    const size_t bytes = write_baseline(output_, baseline);
    size_t kernels = 0, launches = 0;
    for (const BaselineIteration& iteration : baseline.iterations) {
      kernels += iteration.kernels.size();
      launches += iteration.launches.size();
    }
    print_output("{}: {} launches of {} kernels, {} layers, {} KiB\n", output_, launches, kernels,
                 baseline.layers.size(), (bytes + 1023) / 1024);
    return 0;
  }

 private:
  std::string folder_, output_ = "base.json";
};

}  // namespace

std::unique_ptr<Command> baseline_command() {
  return std::make_unique<BaselineCommand>();
}

}  // namespace kjoule
