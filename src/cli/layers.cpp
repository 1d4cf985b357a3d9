#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "base/files/file_name.hpp"
#include "base/files/files.hpp"
#include "base/files/input_file.hpp"
#include "base/process/temporary_folder.hpp"
#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "cli/options/comma_list.hpp"
#include "cli/options/command.hpp"
#include "cli/options/effect.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/layers_arguments.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/page_file.hpp"
#include "cli/options/printed.hpp"
#include "layers/layer_names.hpp"
#include "layers/network_file.hpp"
#include "layers/pipeline_file.hpp"
#include "layers/shipped_networks.hpp"
#include "report/json_reports.hpp"
#include "report/network_reports.hpp"
#include "report/wrapped.hpp"
#include "run/run_folders.hpp"

namespace kjoule {

namespace {

/// Longest time, s, for the network's own iterations if --warmup and --runs were not given: as long as the
/// rounds on a CPU (RoundOptions), because the layers' results come from the rounds.
constexpr double kOwnIterations_s = 10;

class Layers final : public Command {
 public:
  std::string name() const override { return "layers"; }
  std::string help() const override { return "measures time and energy of every layer of a network"; }
  std::string example() const override {
    return "kjoule layers resnet50 vit-b16 --batch 1,32 --dtype float32,float16";
  }
  std::vector<TableColumns> tables() const override { return {network_columns()}; }

  void declare(CLI::App& app) override {
    input_file(app.add_option(
        "network", names_,
        "built-in networks (see --list) and YAML files of layers, which are measured one after "
        "another, or one Python file of pipelines (docs/reference/formats.md)"));
    app_ = &app;
    list_flag_ = app.add_flag("--list", list_, "list the built-in networks with their sizes, and exit");
    of_networks_ = {
        add_list(app, "--batch", batches_, 1, kMostSize,
                 "samples per iteration; several numbers, separated by commas, are measured one after "
                 "another, each in its own folder; default: the network's own batch"),
        app.add_option("--size", sizes_,
                       "new value for a size of the network, as NAME=NUMBER (--list shows the sizes); may be "
                       "repeated")
            ->allow_extra_args(false),
        add_list(app, "--dtype", dtypes_,
                 "data type: float32, float16 or bfloat16; several, separated by commas, are measured "
                 "one after another; default: float16 on a GPU, float32 on the CPU")};
    arguments_.declare(app);
    run_.declare_runs(app);
    app.get_option("--warmup")->description("number of untimed iterations of the whole network");
    app.get_option("--runs")->description(fmt::format(
        "number of timed iterations of the whole network. If neither --warmup nor --runs is given, "
        "a CPU runs fewer of both where they would take longer than {:g} s",
        kOwnIterations_s));
    run_.declare_folder(app);
    printed_.declare(app, "print layers.json instead of the table", "print layers.csv instead of the table");
    page_.declare(app);
  }

  void take_program(std::vector<std::string> program) override { program_ = std::move(program); }

  std::string way_on() const override { return run_.way_on(); }
  int run() override {
    refuse_beside(*app_, list_flag_);
    if (list_) return list();
    if (!program_.empty()) return run_program();
    if (std::ranges::any_of(names_, is_python)) return run_pipelines();
    if (names_.empty())
      throw UsageError("no network was given",
                       "for example kjoule layers resnet50; --list shows all networks");
    arguments_.take_iterations();
    arguments_.refuse_for_network();
    open_run(arguments_.for_network());
    arguments_.refuse_for_buffers(run_);
    if (!run_.asks_for_runs()) run_.most_s = kOwnIterations_s;
    const std::vector<RequestedNetwork> requested = requested_networks();
    run_.refuse_folder();
    std::vector<std::string> names;
    for (const RequestedNetwork& one : requested) {
      measure_->check_memory(one.network);
      measure_->check_parameters(one.network);
      names.push_back(one.run);
    }
    return measure_each(names, [&](size_t n, const RunOptions& folder) {
      const RequestedNetwork& one = requested[n];
      NetworkResult result = measure_->measure(one.network, one.source, one.dtype.torch, folder);
      result.name = one.run;
      result.network = one.network.name;
      result.dtype = one.dtype.name;
      return result;
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

  struct Dtype {
    std::string name, torch;  ///< "float16", and "Half" as torch calls it
  };
  /// A network that is measured with one batch and data type.
  struct RequestedNetwork {
    std::string source;  ///< the user's name for it
    Dtype dtype;
    Network network;
    std::string run;  ///< name of the run, which differs for each batch and data type
  };

  static bool is_python(const std::string& name) { return name.ends_with(".py"); }

  /// Returns one entry for each combination of network, data type and batch.
  std::vector<RequestedNetwork> requested_networks() const {
    std::vector<RequestedNetwork> requested;
    const std::vector<Dtype> dtypes = requested_dtypes();
    for (const std::string& source : names_)
      for (const Dtype& dtype : dtypes) {
        const auto add = [&](const Sizes& sizes, const std::string& of_batch) {
          Network network = read(source, sizes, dtype);
          const std::string run = network.name + of_batch + (dtypes.size() > 1 ? "_" + dtype.name : "");
          requested.push_back({source, dtype, std::move(network), run});
        };
        if (batches_.empty()) add({}, "");
        for (const int64_t batch : batches_)
          add({{"batch", batch}}, batches_.size() > 1 ? fmt::format("_N{}", batch) : "");
      }
    return requested;
  }

  /// Reads the network. Its sizes are replaced by `sizes` and by those of --size.
  Network read(const std::string& source, Sizes sizes, const Dtype& dtype) const {
    for (const std::string& text : sizes_) {
      const size_t is = text.find('=');
      const int64_t size = is == std::string::npos ? 0 : parse_whole_number(text.substr(is + 1)).value_or(0);
      if (size < 1 || size > kMostSize)
        throw UsageError(
            fmt::format("--size {}: is not NAME=NUMBER with a whole number from 1 to {}", text, kMostSize),
            "write NAME=NUMBER, e.g. tokens=1024");
      const auto [other, is_new] = sizes.try_emplace(text.substr(0, is), size);
      if (!is_new)
        throw UsageError(fmt::format("--size {} has no effect: another option has already set {} to {}", text,
                                     other->first, other->second),
                         "give each size once; --batch N also sets the size batch");
    }
    const bool file = is_file_name(source);
    return read_network(file ? read_text(source) : shipped_network(source).yaml, source, sizes, dtype.torch);
  }

  void open_run(NetworkOptions options) {
    options.report_comparison = [](const std::filesystem::path& folder, const Comparison& comparison) {
      write_json(folder / "comparison_report.json", comparison_report(comparison, comparison.kernels.size()));
    };
    options.subject.program = program_;
    options.subject.streams = printed_.program_streams();
    subject_ = options.subject;
    meters_ = options.meters;
    measure_.emplace(std::move(options));
  }

  std::vector<Dtype> requested_dtypes() const {
    const Dtype float32{"float32", "Float"}, float16{"float16", "Half"}, bfloat16{"bfloat16", "BFloat16"};
    if (dtypes_.empty()) return {subject_.device == "cpu" ? float32 : float16};
    const std::map<std::string, Dtype> known{{"float32", float32},   {"fp32", float32},
                                             {"float16", float16},   {"fp16", float16},
                                             {"bfloat16", bfloat16}, {"bf16", bfloat16}};
    std::vector<Dtype> requested;
    for (const std::string& name : dtypes_) {
      const auto found = known.find(name);
      if (found == known.end())
        throw UsageError("--dtype " + name + ": not known", "use float32, float16 or bfloat16");
      requested.push_back(found->second);
    }
    return requested;
  }

  std::string program_name() const {
    if (!names_.empty())
      throw UsageError(names_.front() + " was given with a program, but only one of them can be measured",
                       "omit one of them");
    return std::filesystem::path(program_.front()).filename().string();
  }

  int run_program() {
    const std::string name = program_name();
    refuse_given(of_networks_, "on a program", "omit it");
    arguments_.refuse_for_program();
    open_run(arguments_.for_program(program_));
    run_.refuse_folder();
    return measure_each({name}, [&](size_t, const RunOptions& folder) {
      return measure_->measure_program(name, program_, folder);
    });
  }

  int run_pipelines() {
    if (names_.size() > 1)
      throw UsageError(
          "a Python file of pipelines cannot be measured together with other networks, but several names "
          "were given",
          "run kjoule layers once for each Python file");
    refuse_given(of_networks_, "on a Python file", "omit it");
    arguments_.refuse_for_pipelines();
    const InputFile readable(names_.front(),
                             InputFile::Kind::regular);  // before Python reports it in its words
    open_run(arguments_.for_pipelines(PipelineFile::kIteration));
    run_.refuse_folder();
    const PipelineFile file(names_.front());
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
      throw Error(fmt::format("{}: none of the layers of {} can run; error of the first layer, {}: {}",
                              names_.front(), name, why.front().name, why.front().why),
                  "correct this layer in the file");
    }
    add_failed_layers(read_failed_layers(failed), result);
    return result;
  }

  static void add_failed_layers(const std::vector<FailedLayer>& failed, NetworkResult& result) {
    LayerNames names;
    for (const LayerResult& measured : result.layers) names.distinct(measured.name);
    for (const FailedLayer& layer : failed) {
      LayerResult& missing = result.layers.emplace_back();
      missing.name = names.distinct(layer.name);
      missing.kind = "range";
      missing.count = 1;
      missing.error = layer.why;
    }
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
    write_page();
    return exit_code(results);
  }

  void write_page() const {
    if (!page_.is_requested()) return;
    KernelRules rules;
    page_.write(results_page(run_.folder(), rules));
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
      if (!result.roof_missing.empty()) {
        code = 1;
        print_error("kjoule: the roof was not measured: {}\n", result.roof_missing);
      }
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

  std::vector<std::string> names_;  ///< names of built-in networks, and paths of YAML or Python files
  std::vector<std::string> program_;
  bool list_ = false;
  const CLI::App* app_ = nullptr;
  const CLI::Option* list_flag_ = nullptr;
  Options of_networks_;  ///< options that have an effect only on networks, not on programs or Python files
  std::vector<int64_t> batches_;
  std::vector<std::string> sizes_;
  std::vector<std::string> dtypes_;
  LayersArguments arguments_;
  SubjectOptions subject_;  ///< its device is "cpu" or "cuda"; for a program, the value of --device
  EnergyMeterOptions meters_;
  std::optional<NetworkRun> measure_;
  RunArguments run_;
  Printed printed_;
  PageFile page_;
};

}  // namespace

std::unique_ptr<Command> layers_command() {
  return std::make_unique<Layers>();
}

}  // namespace kjoule
