#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "cli/command.hpp"
#include "cli/network_run.hpp"
#include "cli/numbers.hpp"
#include "cli/pipeline_file.hpp"
#include "cli/printed.hpp"
#include "layers/network_file.hpp"
#include "layers/networks.hpp"
#include "report/network_reports.hpp"

namespace kjoule {

namespace {

class Layers final : public Command {
 public:
  std::string name() const override { return "layers"; }
  std::string help() const override { return "latency and energy of every layer of a network"; }
  std::string example() const override { return "kjoule layers resnet50 --batch 1,32"; }

  void declare(CLI::App& app) override {
    app.add_option("network", network_,
                   "a name (--list has all), a YAML file, or a Python file with pipelines (docs/formats.md)");
    app.add_flag("--list", list_, "the networks that kjoule brings, with their sizes");
    app.add_option("--batch", batches_,
                   "samples an iteration; several, with commas: each in a folder of its own; default: the "
                   "network's own")
        ->delimiter(',')
        ->check(at_least(1));
    app.add_option("--size", sizes_, "NAME=NUMBER, another size of the network; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--dtype", dtype_, "fp16, bf16 or fp32; default: fp16 on a GPU, fp32 on the CPU");
    measure_.declare(app);
    run_.declare_runs(app);
    run_.declare_folder(app);
    printed_.declare(app, "print layers.json instead of the table", "print layers.csv instead of the table");
  }

  void take_program(std::vector<std::string> program) override { program_ = std::move(program); }

  int run() override {
    if (list_) return list();
    if (!program_.empty())
      return exit_code({reported(measure_program(program_name(), program_, run_), run_)});
    if (network_.ends_with(".py")) return run_pipelines();
    if (network_.empty()) throw Error("no network given", "kjoule layers resnet50; --list has all");
    measure_.complete_options();
    std::vector<NetworkResult> results;
    if (batches_.size() < 2) {
      results.push_back(
          measured(read(batches_.empty() ? Sizes{} : Sizes{{"batch", batches_.front()}}), run_));
    } else {
      std::vector<Network> networks;
      for (const int64_t batch : batches_) {
        networks.push_back(read({{"batch", batch}}));
        networks.back().name += fmt::format("_N{}", batch);
      }
      for (const Network& network : networks) {
        results.push_back(measured(network, run_.within(file_name(network.name))));
        write_atomic(std::filesystem::path(run_.folder()) / "summary.csv", network_summary_csv(results));
      }
    }
    return exit_code(results);
  }

 private:
  static int list() {
    for (const ShippedNetwork& shipped : shipped_networks()) {
      const Network network = read_network(shipped.yaml, shipped.name, {}, "Half");
      std::string sizes;
      for (const auto& [name, size] : sizes_in_network(shipped.yaml, shipped.name))
        sizes += fmt::format("{}{}={}", sizes.empty() ? "" : " ", name, size);
      fmt::print("{:<20} {:>9.2f} M parameters {:>10.3f} G multiply-adds  {:<38} {}\n", shipped.name,
                 static_cast<double>(network.parameters()) * 1e-6,
                 static_cast<double>(network.multiply_adds()) * 1e-9, sizes, network.about);
    }
    return 0;
  }

  /// With these sizes, and those of --size where they do not say otherwise.
  Network read(Sizes sizes) const {
    for (const std::string& text : sizes_) {
      const size_t is = text.find('=');
      int64_t size = 0;
      if (is == std::string::npos || !CLI::detail::lexical_cast(text.substr(is + 1), size) || size < 1)
        throw Error("--size " + text + ": not understood", "write NAME=NUMBER, e.g. tokens=1024");
      sizes.try_emplace(text.substr(0, is), size);
    }
    const bool file = std::filesystem::exists(network_);
    return read_network(file ? read_text(network_) : shipped_network(network_).yaml, network_, sizes, type());
  }

  std::string type() const {
    if (dtype_.empty()) return measure_.device() == "cpu" ? "Float" : "Half";
    for (const auto& [name, type] : {std::pair{"fp16", "Half"}, {"bf16", "BFloat16"}, {"fp32", "Float"}})
      if (dtype_ == name) return type;
    throw Error("--dtype " + dtype_ + ": not known", "use fp16, bf16 or fp32");
  }

  std::string program_name() const {
    if (!network_.empty()) throw Error(network_ + " and a program: only one of them can be measured");
    return std::filesystem::path(program_.front()).filename().string();
  }

  NetworkResult measure_program(const std::string& name, const std::vector<std::string>& program,
                                const RunOptions& folder) {
    measure_.complete_options_of_program();
    return measure_.measure_program(name, program, folder);
  }

  int run_pipelines() {
    const PipelineFile file(network_);
    measure_.set_range(PipelineFile::kIteration);
    std::vector<NetworkResult> results;
    for (size_t p = 0; p < file.pipelines().size(); ++p) {
      const auto& [name, layers] = file.pipelines()[p];
      const RunOptions folder = file.pipelines().size() == 1 ? run_ : run_.within(file_name(name));
      const TemporaryFolder temporary;
      const std::string failed = temporary / "failed.jsonl";
      NetworkResult result;
      try {
        result = measure_program(name, file.command(p, failed), folder);
      } catch (const Error&) {
        const auto why = failed_layers(failed);
        if (why.size() < layers || layers == 0) throw;
        throw Error(fmt::format("{}: none of the layers of {} can run; {}: {}", network_, name,
                                why.begin()->first, why.begin()->second));
      }
      for (const auto& [layer, why] : failed_layers(failed)) {
        LayerResult& missing = result.layers.emplace_back();
        missing.name = layer;
        missing.kind = "range";
        missing.count = 1;
        missing.error = why;
      }
      results.push_back(reported(std::move(result), folder));
      write_atomic(std::filesystem::path(run_.folder()) / "summary.csv", network_summary_csv(results));
    }
    return exit_code(results);
  }

  NetworkResult measured(const Network& network, const RunOptions& folder) {
    return reported(measure_.measure(network, network_, type(), folder), folder);
  }

  /// Writes its files and prints it.
  NetworkResult reported(NetworkResult result, const RunOptions& folder) const {
    const std::filesystem::path path = folder.folder();
    const auto json = network_json(result);
    const std::string text = network_text(result);
    write_json(path / "layers.json", json);
    write_atomic(path / "layers.csv", network_csv(result));
    write_atomic(path / "summary.csv", network_summary_csv({result}));
    write_atomic(path / (file_name(result.name) + ".log"), text);
    printed_.print([&] { return json; }, [&] { return network_csv(result); },
                   [&] { return fmt::format("{}results in {}\n", text, path.string()); });
    return result;
  }

  static std::string file_name(std::string name) {
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
  }

  int exit_code(const std::vector<NetworkResult>& results) const {
    int code = 0;
    for (const NetworkResult& result : results) {
      if (!result.energy_missing.empty()) {
        fmt::print(stderr, "kjoule: no energy: {}\n", result.energy_missing);
        if (measure_.energy_asked()) code = 1;
      }
      for (const LayerResult& layer : result.layers)
        if (!layer.error.empty()) {
          code = 1;
          fmt::print(stderr, "kjoule: layer {} is missing from the sums: {}\n", layer.name, layer.error);
        }
    }
    return code;
  }

  std::string network_;
  std::vector<std::string> program_;
  bool list_ = false;
  std::vector<int64_t> batches_;
  std::vector<std::string> sizes_;
  std::string dtype_;
  NetworkRun measure_;
  RunOptions run_;
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> layers_command() {
  return std::make_unique<Layers>();
}

}  // namespace kjoule
