#include <fmt/format.h>

#include <filesystem>

#include "base/process/terminal.hpp"
#include "cli/options/baseline_source.hpp"
#include "cli/options/command.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

class BaselineCommand final : public Command {
 public:
  std::string name() const override { return "baseline"; }
  std::string help() const override {
    return "writes the times and energies of a results folder into one small file, for kjoule diff";
  }
  std::string example() const override { return "kjoule baseline results -o base.json"; }
  void declare(CLI::App& app) override {
    app.add_option("folder", folder_, "results folder of kjoule compare or kjoule layers")->required();
    app.add_option("-o,--output", output_, "file to write; an older baseline is replaced")
        ->capture_default_str();
  }
  int run() override {
    const Baseline baseline = baseline_of_folder(folder_);
    if (fs::exists(output_) && !is_baseline(output_))
      throw Error(output_ + ": this file exists, is not a baseline, and was not replaced",
                  "choose another file with -o");
    write_baseline(output_, baseline);
    size_t kernels = 0, launches = 0;
    for (const BaselineIteration& iteration : baseline.iterations) {
      kernels += iteration.kernels.size();
      launches += iteration.launches.size();
    }
    print_output("{}: {} launches of {} kernels, {} layers, {} KiB\n", output_, launches, kernels,
                 baseline.layers.size(), (fs::file_size(output_) + 1023) / 1024);
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
