#include <fmt/format.h>

#include <filesystem>

#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "cli/command.hpp"
#include "cli/measured_run.hpp"
#include "cli/numbers.hpp"
#include "cli/printed.hpp"
#include "cli/share.hpp"
#include "cli/tried_calls.hpp"
#include "layers/network_file.hpp"
#include "layers/network_result.hpp"
#include "layers/networks.hpp"
#include "report/json_reports.hpp"
#include "report/network_reports.hpp"
#include "trace/replay_plan.hpp"

namespace kjoule {

namespace {

class Layers final : public Command {
 public:
  std::string name() const override { return "layers"; }
  std::string help() const override { return "latency and energy of every layer of a network"; }
  std::string example() const override { return "kjoule layers resnet50 --batch 32"; }

  void declare(CLI::App& app) override {
    app.add_option("network", network_, "a name (--list has all), or a YAML file (docs/formats.md)");
    app.add_flag("--list", list_, "the networks that kjoule brings, with their sizes");
    app.add_option("--batch", batch_, "samples an iteration; default: the network's own")->check(at_least(1));
    app.add_option("--size", sizes_, "NAME=NUMBER, another size of the network; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--dtype", dtype_, "fp16, bf16 or fp32; default: fp16 on a GPU, fp32 on the CPU");
    app.add_option("--device", subject_.device, "auto, cpu or cuda")->capture_default_str();
    app.add_option("--threads", subject_.threads, "of libtorch; default: its own choice")->check(at_least(0));
    app.add_option("--time-limit", rounds_.time_limit_s, "of measuring in context, s")
        ->capture_default_str()
        ->check(above_zero());
    app.add_option("--check", check_,
                   "the same network as a model (kjoule export): measures that whole, too");
    run_.declare_runs(app);
    run_.declare_folder(app);
    energy_.declare(app);
    printed_.declare(app, "print layers.json instead of the table", "print layers.csv instead of the table");
  }

  int run() override {
    if (list_) return list();
    if (network_.empty()) throw Error("no network given", "kjoule layers resnet50; --list has all");
    joules_ = {share(energy_.precision, "--energy-precision"), energy_.time_limit_s};
    subject_.device = device_for_runner(subject_);
    const Network network = read();
    run_.refuse_folder();
    const TemporaryFolder folder;
    std::map<size_t, std::string> refused;
    std::vector<size_t> made;
    subject_.calls = folder / "calls.jsonl";
    write_calls(network, refused, made);
    Subject subject = open_calls(subject_, network_);
    MeasuredRun run("layers", subject, run_);
    const Comparison comparison = measured(subject, run);
    NetworkResult result = network_result(network, made, refused, run.recording(), comparison);
    if (!check_.empty()) {
      subject.close();
      result.check = checked();
    }
    report(run.folder(), comparison, result);
    return exit_code(result);
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

  Network read() const {
    Sizes sizes;
    for (const std::string& text : sizes_) {
      const size_t is = text.find('=');
      int64_t size = 0;
      if (is == std::string::npos || !CLI::detail::lexical_cast(text.substr(is + 1), size) || size < 1)
        throw Error("--size " + text + ": not understood", "write NAME=NUMBER, e.g. tokens=1024");
      sizes[text.substr(0, is)] = size;
    }
    if (batch_) sizes["batch"] = *batch_;
    const bool file = std::filesystem::exists(network_);
    return read_network(file ? read_text(network_) : shipped_network(network_).yaml, network_, sizes, type());
  }

  std::string type() const {
    if (dtype_.empty()) return subject_.device == "cpu" ? "Float" : "Half";
    for (const auto& [name, type] : {std::pair{"fp16", "Half"}, {"bf16", "BFloat16"}, {"fp32", "Float"}})
      if (dtype_ == name) return type;
    throw Error("--dtype " + dtype_ + ": not known", "use fp16, bf16 or fp32");
  }

  /// Those that can be made: a layer that is refused is a row, and the others go on.
  void write_calls(const Network& network, std::map<size_t, std::string>& refused,
                   std::vector<size_t>& made) const {
    std::vector<ReplayCall> calls;
    for (const Layer& layer : network.layers) calls.emplace_back(layer.call);
    write_atomic(subject_.calls, calls_text(calls));
    refused = tried_calls(trying_runner_for(subject_, subject_.calls), calls.size(), *make_progress());
    std::vector<ReplayCall> possible;
    for (size_t c = 0; c < calls.size(); ++c)
      if (!refused.contains(c)) {
        made.push_back(c);
        possible.push_back(calls[c]);
      }
    if (possible.empty())
      throw Error(fmt::format("{}: none of its layers can be run; {}: {}", network_,
                              network.layers.front().name, refused.begin()->second));
    write_atomic(subject_.calls, calls_text(possible));
  }

  Comparison measured(Subject& subject, MeasuredRun& run) const {
    EnergyMeters meters = open_energy_meters(subject, energy_);
    run.full_and_record();
    run.rounds(rounds_);
    if (!energy_.off) run.energy(meters, joules_);
    KernelRules rules;
    return comparison_of(run.table(), run.rows(), rules);
  }

  NetworkCheck checked() const {
    SubjectOptions options;
    options.model = check_;
    options.device = subject_.device;
    options.threads = subject_.threads;
    Subject subject = open_recordable_subject(options);
    MeasuredRun run("compare", subject, run_.within("check"));
    const Comparison comparison = measured(subject, run);
    NetworkCheck check{check_, comparison.whole_s, {}};
    if (comparison.energy && comparison.energy->missing.empty()) check.whole_j = comparison.energy->whole_j;
    return check;
  }

  void report(const std::filesystem::path& folder, const Comparison& comparison,
              const NetworkResult& result) const {
    const auto json = network_json(comparison.run, result);
    write_json(folder / "layers.json", json);
    write_json(folder / "comparison_report.json", comparison_report(comparison, comparison.kernels.size()));
    write_atomic(folder / "layers.csv", network_csv(result));
    write_atomic(folder / "summary.csv", network_summary_csv(result));
    if (printed_.json)
      fmt::print("{}\n", json.dump(2));
    else if (printed_.csv)
      fmt::print("{}", network_csv(result));
    else
      fmt::print(
          "{}sum of layers against all of them played one after another: {:+.2f} % (interval +-{:.2f} "
          "%)\nresults in {}\n",
          network_text(result), 100 * comparison.error(),
          100 * comparison.sum_s.half_width / comparison.whole_s.value, folder.string());
  }

  static int exit_code(const NetworkResult& result) {
    for (const LayerResult& layer : result.layers)
      if (!layer.error.empty())
        fmt::print(stderr, "kjoule: layer {} is missing from the sums: {}\n", layer.name, layer.error);
    return result.complete() ? 0 : 1;
  }

  std::string network_;
  bool list_ = false;
  std::optional<int64_t> batch_;
  std::vector<std::string> sizes_;
  std::string dtype_, check_;
  SubjectOptions subject_;
  RunOptions run_;
  RoundOptions rounds_;
  EnergyOfRun energy_;
  EnergyOptions joules_;
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> layers_command() {
  return std::make_unique<Layers>();
}

}  // namespace kjoule
