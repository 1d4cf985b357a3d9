#include <fmt/format.h>

#include <filesystem>
#include <functional>

#include "base/file_name.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "base/terminal.hpp"
#include "base/write_error.hpp"
#include "cli/command.hpp"
#include "cli/effect.hpp"
#include "cli/layers_arguments.hpp"
#include "cli/numbers.hpp"
#include "cli/printed.hpp"
#include "layers/network_file.hpp"
#include "layers/pipeline_file.hpp"
#include "layers/shipped_networks.hpp"
#include "report/json_reports.hpp"
#include "report/network_reports.hpp"
#include "report/wrapped.hpp"
#include "run/run_folders.hpp"

namespace kjoule {

namespace {

class Layers final : public Command {
 public:
  std::string name() const override { return "layers"; }
  std::string help() const override { return "measures time and energy of every layer of a network"; }
  std::string example() const override { return "kjoule layers resnet50 --batch 1,32"; }
  std::vector<TableColumns> tables() const override { return {network_columns()}; }

  void declare(CLI::App& app) override {
    app.add_option("network", network_,
                   "built-in network (see --list), YAML file of layers, or Python file of pipelines "
                   "(docs/reference/formats.md)");
    app_ = &app;
    list_flag_ = app.add_flag("--list", list_, "list the built-in networks with their sizes, and exit");
    of_networks_ = {
        app.add_option("--batch", batches_,
                       "samples per iteration; several numbers, separated by commas, are measured one after "
                       "another, each in its own folder; default: the network's own batch")
            ->delimiter(',')
            ->check(at_least(1)),
        app.add_option("--size", sizes_,
                       "new value for a size of the network, as NAME=NUMBER (--list shows the sizes); may be "
                       "repeated")
            ->allow_extra_args(false),
        app.add_option("--dtype", dtype_,
                       "data type: fp16, bf16 or fp32; default: fp16 on a GPU, fp32 on the CPU")};
    arguments_.declare(app);
    run_.declare_runs(app);
    run_.declare_folder(app);
    printed_.declare(app, "print layers.json instead of the table", "print layers.csv instead of the table");
  }

  void take_program(std::vector<std::string> program) override { program_ = std::move(program); }

  std::string way_on() const override { return run_.way_on(); }
  int run() override {
    refuse_beside(*app_, list_flag_);
    if (list_) return list();
    if (!program_.empty()) return run_program();
    if (network_.ends_with(".py")) return run_pipelines();
    if (network_.empty())
      throw UsageError("no network was given",
                       "for example kjoule layers resnet50; --list shows all networks");
    arguments_.refuse_for_network();
    open_run(arguments_.for_network());
    arguments_.refuse_for_buffers(run_);
    const std::vector<Network> networks = networks_asked_for();
    run_.refuse_folder();
    std::vector<std::string> names;
    for (const Network& network : networks) {
      measure_->check_parameters(network);
      names.push_back(network.name);
    }
    return measure_each(names, [&](size_t n, const RunOptions& folder) {
      return measure_->measure(networks[n], network_, type(), folder);
    });
  }

 private:
  static int list() {
    for (const ShippedNetwork& shipped : shipped_networks()) {
      const Network network = read_network(shipped.yaml, shipped.name, {}, "Half");
      std::string sizes;
      for (const auto& [name, size] : read_network_sizes(shipped.yaml, shipped.name))
        sizes += fmt::format("{}{}={}", sizes.empty() ? "" : " ", name, size);
      print_text(table_row(fmt::format("{:<22} ", shipped.name),
                           fmt::format("{}; {:.2f} M parameters, {:.3f} G multiply-adds; {}", network.about,
                                       static_cast<double>(network.parameters()) * 1e-6,
                                       static_cast<double>(network.multiply_adds()) * 1e-9, sizes)));
    }
    return 0;
  }

  /// Returns one network, or one for each batch of --batch.
  std::vector<Network> networks_asked_for() const {
    if (batches_.empty()) return {read({})};
    std::vector<Network> networks;
    for (const int64_t batch : batches_) {
      networks.push_back(read({{"batch", batch}}));
      if (batches_.size() > 1) networks.back().name += fmt::format("_N{}", batch);
    }
    return networks;
  }

  /// Reads the network with the given sizes and those of --size.
  Network read(Sizes sizes) const {
    for (const std::string& text : sizes_) {
      const size_t is = text.find('=');
      int64_t size = 0;
      if (is == std::string::npos || !CLI::detail::lexical_cast(text.substr(is + 1), size) || size < 1)
        throw UsageError("--size " + text + ": is not of the form NAME=NUMBER",
                         "write NAME=NUMBER, e.g. tokens=1024");
      const auto [other, is_new] = sizes.try_emplace(text.substr(0, is), size);
      if (!is_new)
        throw UsageError(fmt::format("--size {} has no effect: {} was already set to {}", text, other->first,
                                     other->second),
                         "give each size once; --batch N also sets the size batch");
    }
    const bool file = std::filesystem::exists(network_);
    return read_network(file ? read_text(network_) : shipped_network(network_).yaml, network_, sizes, type());
  }

  void open_run(NetworkOptions options) {
    options.report_comparison = [](const std::filesystem::path& folder, const Comparison& comparison) {
      write_json(folder / "comparison_report.json", comparison_report(comparison, comparison.kernels.size()));
    };
    device_ = options.subject.device;
    measure_.emplace(std::move(options));
  }

  std::string type() const {
    if (dtype_.empty()) return device_ == "cpu" ? "Float" : "Half";
    for (const auto& [name, type] : {std::pair{"fp16", "Half"}, {"bf16", "BFloat16"}, {"fp32", "Float"}})
      if (dtype_ == name) return type;
    throw UsageError("--dtype " + dtype_ + ": not known", "use fp16, bf16 or fp32");
  }

  std::string program_name() const {
    if (!network_.empty())
      throw UsageError(network_ + " was given with a program, but only one of them can be measured",
                       "omit one of them");
    return std::filesystem::path(program_.front()).filename().string();
  }

  int run_program() {
    const std::string name = program_name();
    refuse_given(of_networks_, "on a program", "omit it");
    arguments_.refuse_for_program();
    open_run(arguments_.for_program());
    run_.refuse_folder();
    return measure_each({name}, [&](size_t, const RunOptions& folder) {
      return measure_->measure_program(name, program_, folder);
    });
  }

  int run_pipelines() {
    refuse_given(of_networks_, "on a Python file", "omit it");
    arguments_.refuse_for_pipelines();
    arguments_.set_range(PipelineFile::kIteration);
    open_run(arguments_.for_program());
    run_.refuse_folder();
    const PipelineFile file(network_);
    std::vector<std::string> names;
    for (const auto& [name, layers] : file.pipelines()) names.push_back(name);
    return measure_each(
        names, [&](size_t p, const RunOptions& folder) { return measured_pipeline(file, p, folder); });
  }

  NetworkResult measured_pipeline(const PipelineFile& file, size_t place, const RunOptions& folder) {
    const auto& [name, layers] = file.pipelines()[place];
    const TemporaryFolder temporary;
    const std::string failed = temporary / "failed.jsonl";
    NetworkResult result;
    try {
      result = measure_->measure_program(name, file.command(place, failed), folder);
    } catch (const WriteError&) {
      throw;
    } catch (const Error&) {
      const auto why = read_failed_layers(failed);
      if (why.size() < layers || layers == 0) throw;
      throw Error(fmt::format("{}: none of the layers of {} can run; the first of them, {}: {}", network_,
                              name, why.begin()->first, why.begin()->second));
    }
    for (const auto& [layer, why] : read_failed_layers(failed)) {
      LayerResult& missing = result.layers.emplace_back();
      missing.name = layer;
      missing.kind = "range";
      missing.count = 1;
      missing.error = why;
    }
    return result;
  }

  /// Measures networks one after another, each in its own folder. Writes the files and prints the table of
  /// each as soon as it is complete.
  int measure_each(const std::vector<std::string>& names,
                   const std::function<NetworkResult(size_t, const RunOptions&)>& measured) const {
    std::vector<std::string> folders;
    for (const std::string& name : names) folders.push_back(file_name_of(name));
    const RunFolders places("layers", run_, folders);
    std::vector<NetworkResult> results;
    for (size_t n = 0; n < names.size(); ++n) {
      const RunOptions folder = places.of(folders[n]);
      results.push_back(measured(n, folder));
      write_files(results.back(), folder.folder());
      if (places.several())
        write_atomic(std::filesystem::path(run_.folder()) / "summary.csv", network_summary_csv(results));
      if (!printed_.as_text()) continue;
      print_text(network_text(results.back()));
      print_output("results in {}\n", folder.folder());
    }
    print_for_programs(results);
    return exit_code(results);
  }

  static void write_files(const NetworkResult& result, const std::filesystem::path& folder) {
    write_json(folder / "layers.json", network_json(result));
    write_atomic(folder / "layers.csv", network_csv({result}));
    write_atomic(folder / "summary.csv", network_summary_csv({result}));
    write_atomic(folder / (file_name_of(result.name) + ".log"), network_text(result));
  }

  /// Prints one JSON or CSV document for all results.
  void print_for_programs(const std::vector<NetworkResult>& results) const {
    const auto json = [&] {
      if (results.size() == 1) return network_json(results.front());
      auto all = nlohmann::ordered_json::array();
      for (const NetworkResult& result : results) all.push_back(network_json(result));
      return all;
    };
    printed_.print(
        json, [&] { return network_csv(results); }, [] { return ""; });
  }

  int exit_code(const std::vector<NetworkResult>& results) const {
    int code = 0;
    for (const NetworkResult& result : results) {
      if (!result.energy_missing.empty()) {
        print_error("kjoule: energy was not measured: {}\n", result.energy_missing);
        if (arguments_.energy_asked()) code = 1;
      }
      for (const LayerResult& layer : result.layers)
        if (!layer.error.empty()) {
          code = 1;
          print_error("kjoule: layer {} was not measured and is missing from the sums: {}\n", layer.name,
                      layer.error);
        }
    }
    return code;
  }

  std::string network_;
  std::vector<std::string> program_;
  bool list_ = false;
  const CLI::App* app_ = nullptr;
  const CLI::Option* list_flag_ = nullptr;
  Options of_networks_;  ///< options that only affect networks
  std::vector<int64_t> batches_;
  std::vector<std::string> sizes_;
  std::string dtype_;
  LayersArguments arguments_;
  std::string device_;  ///< "cpu" or "cuda"; for a program, the value of --device
  std::optional<NetworkRun> measure_;
  RunArguments run_;
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> layers_command() {
  return std::make_unique<Layers>();
}

}  // namespace kjoule
