#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/predict_options.hpp"
#include "cli/options/printed.hpp"
#include "model_prediction/model_prediction.hpp"
#include "report/shortened.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

constexpr size_t kOperatorsShown = 30;

class PredictModel final : public Command {
 public:
  std::string name() const override { return "model"; }
  std::string help() const override {
    return "predicts time and energy of a recorded model on a GPU on which it was never run";
  }
  std::string example() const override { return "kjoule predict model recording.jsonl --gpu NVIDIAH200"; }
  std::vector<TableColumns> tables() const override {
    return {{"the table of operators",
             {{"operator", "operator of libtorch; below it, the sizes of its first tensors"},
              {"calls", "number of calls in one iteration"},
              {"us each", "predicted time of one call, us"},
              {"us total", "predicted time of all calls, us"},
              {"+-%", "half-width of the 90 % interval of the time, %"},
              {"J total", "predicted energy of all calls, J"},
              {"from",
               "samples: the sizes are within the samples; beyond: they are not; roofline: no table, so "
               "the time follows from the GPU's data sheet"}}}};
  }
  void declare(CLI::App& app) override {
    input_file(app.add_option("recording", recording_,
                              "recording of a model on the CPU (kjoule record --model), or results folder of "
                              "kjoule compare --model"))
        ->required();
    app.add_option(
        "--gpu", gpu_,
        "name of the GPU, as in the file names of the sampled tables, e.g. NVIDIAH200; default: the "
        "only GPU of the tables of --data");
    input_file(app.add_option("--data", data_,
                              "folder of sampled tables, or a built-in folder: Perlmutter/operator, "
                              "H200/operator; default: the built-in operators of the GPU"));
    app.add_option("--precision", precision_,
                   "fp16 or bf16: predict the model as if its float32 tensors had this type")
        ->check(one_of({"fp16", "bf16"}));
    app.add_option("--power-limit", power_limit_w_, "power limit of the GPU in W, which may slow it down")
        ->check(number_between(1, 1e5));
    options_.declare(app);
  }

  int run() override {
    const std::string file =
        fs::is_directory(recording_) ? (fs::path(recording_) / "recording.jsonl").string() : recording_;
    const RecordedOperators recorded = recorded_operators(
        read_recording(file), file, precision_.empty() ? std::nullopt : std::optional(precision_));
    TrainedModels models = options_.open(open_data());
    OperatorEstimator estimator(models, gpu_of(models.data()));
    const ModelPrediction prediction = predict_model(
        recorded, estimator, power_limit_w_ > 0 ? std::optional<double>(power_limit_w_) : std::nullopt);
    PredictOptions::report_save_error(models);
    if (options_.json)
      print_json(json_of(prediction, estimator.gpu()));
    else
      print(prediction, estimator.gpu());
    return 0;
  }

 private:
  SampledData open_data() const {
    if (!data_.empty()) return SampledData::open_named(data_, fs::current_path() / ".");
    if (gpu_.empty())
      throw UsageError("the GPU is missing", "name it with --gpu, for example --gpu NVIDIAH200");
    return SampledData::shipped_operators(gpu_);
  }

  std::string gpu_of(const SampledData& data) const {
    if (!gpu_.empty()) return gpu_;
    std::set<std::string> gpus;
    for (const TableName& table : data.tables()) gpus.insert(table.gpu);
    if (gpus.size() != 1)
      throw UsageError(fmt::format("{} has tables of several GPUs", data.name()),
                       fmt::format("name one of {} with --gpu", fmt::join(gpus, ", ")));
    return *gpus.begin();
  }

  static double half_width_percent(const Estimate& estimate) {
    return 100 * std::max(estimate.high - estimate.value, estimate.value - estimate.low) / estimate.value;
  }

  static void print(const ModelPrediction& prediction, const std::string& gpu) {
    print_output("{:<28}{:>6} {:>9} {:>10} {:>5} {:>9}  {}\n", "operator", "calls", "us each", "us total",
                 "+-%", "J total", "from");
    size_t shown = 0;
    for (const PredictedCalls& one : prediction.operators)
      if (!one.parts.empty() && shown++ < kOperatorsShown) print_operator(one);
    if (shown > kOperatorsShown)
      print_output("... {} more operators (--json lists all)\n", shown - kOperatorsShown);
    print_output("\n");
    print_sum(prediction, gpu);
    print_missing(prediction);
  }

  static void print_operator(const PredictedCalls& one) {
    const auto calls = static_cast<double>(one.calls);
    const Estimate us = one.us();
    const auto joules = one.joules();
    print_output("{:<28}{:>6} {:>9.2f} {:>10.1f} {:>5.0f} {:>9}  {}\n", shortened(one.name, 27), one.calls,
                 us.value, calls * us.value, half_width_percent(us),
                 joules ? fmt::format("{:.4g}", calls * joules->value) : "-",
                 one.basis() == Basis::beyond_samples ? "beyond" : basis_text(one.basis()));
    print_text(wrapped("    ", one.sizes));
  }

  static void print_sum(const ModelPrediction& prediction, const std::string& gpu) {
    const Estimate& us = prediction.us;
    print_text(wrapped(
        "", fmt::format("sum: {:.1f} us (90 % interval {:.1f} to {:.1f} us) for {} calls on {}", us.value,
                        us.low, us.high, prediction.calls() - prediction.calls_not_predicted(), gpu)));
    print_text(wrapped("  ", fmt::format("with {:.1f} us because the calls follow each other in a model "
                                         "instead of being repeated",
                                         prediction.context.us.value)));
    if (const auto& joules = prediction.joules)
      print_text(wrapped(
          "", fmt::format("energy: {:.4g} J (90 % interval {:.4g} to {:.4g} J), {:.0f} W", joules->value,
                          joules->low, joules->high, joules->value / (us.value * 1e-6))));
    else
      print_output("energy: not available: the samples have no energies\n");
    if (const auto& held = prediction.slowdown)
      print_text(wrapped("", fmt::format("without the power limit, the GPU would need {:.0f} W; with it, the "
                                         "iteration takes {:.1f} % longer",
                                         held->watts, 100 * (held->factor - 1))));
    print_text(wrapped("", fmt::format("share of the time: {:.1f} % within the samples, {:.1f} % beyond the "
                                       "samples, {:.1f} % from the roofline",
                                       prediction.share_percent(Basis::samples),
                                       prediction.share_percent(Basis::beyond_samples),
                                       prediction.share_percent(Basis::roofline))));
    print_text(wrapped("", fmt::format("{} calls launch nothing (views, allocations, arithmetic with sizes)",
                                       prediction.calls_without_work)));
  }

  static void print_missing(const ModelPrediction& prediction) {
    if (prediction.calls_not_predicted() == 0) return;
    print_text(wrapped("", fmt::format("missing from the sum: {} of {} calls, because they cannot be "
                                       "predicted:",
                                       prediction.calls_not_predicted(), prediction.calls())));
    for (const PredictedCalls& one : prediction.operators)
      if (one.parts.empty())
        print_text(
            wrapped("  ", fmt::format("{} x {} ({}): {}", one.calls, one.name, one.sizes, one.missing)));
  }

  static nlohmann::ordered_json interval(const Estimate& estimate) { return {estimate.low, estimate.high}; }

  static nlohmann::ordered_json json_of(const PredictedCalls& one) {
    nlohmann::ordered_json json{{"operator", one.name},
                                {"sizes", one.sizes},
                                {"kind", one.kind},
                                {"calls", one.calls},
                                {"predicted_us", nullptr},
                                {"interval_90_us", nullptr},
                                {"predicted_joules", nullptr},
                                {"interval_90_joules", nullptr},
                                {"basis", nullptr},
                                {"tables", nlohmann::ordered_json::array()},
                                {"outside_sampled_range", nlohmann::ordered_json::array()},
                                {"missing", nullptr}};
    if (one.parts.empty()) {
      json["missing"] = one.missing;
      return json;
    }
    json["predicted_us"] = one.us().value;
    json["interval_90_us"] = interval(one.us());
    if (const auto joules = one.joules()) {
      json["predicted_joules"] = joules->value;
      json["interval_90_joules"] = interval(*joules);
    }
    json["basis"] = basis_text(one.basis());
    for (const CallEstimate& part : one.parts) {
      if (part.basis != Basis::roofline) json["tables"].push_back(part.source);
      for (const std::string& size : part.outside) json["outside_sampled_range"].push_back(size);
    }
    return json;
  }

  nlohmann::ordered_json json_of(const ModelPrediction& prediction, const std::string& gpu) const {
    nlohmann::ordered_json operators = nlohmann::ordered_json::array();
    for (const PredictedCalls& one : prediction.operators) operators.push_back(json_of(one));
    const auto& joules = prediction.joules;
    const auto& held = prediction.slowdown;
    return {{"recording", recording_},
            {"gpu", gpu},
            {"predicted_us", prediction.us.value},
            {"interval_90_us", interval(prediction.us)},
            {"predicted_joules", joules ? nlohmann::ordered_json(joules->value) : nullptr},
            {"interval_90_joules", joules ? interval(*joules) : nullptr},
            {"context_us", prediction.context.us.value},
            {"interval_90_context_us", interval(prediction.context.us)},
            {"calls", prediction.calls()},
            {"calls_not_predicted", prediction.calls_not_predicted()},
            {"calls_without_work", prediction.calls_without_work},
            {"share_percent",
             {{"samples", prediction.share_percent(Basis::samples)},
              {"beyond_samples", prediction.share_percent(Basis::beyond_samples)},
              {"roofline", prediction.share_percent(Basis::roofline)}}},
            {"power_limited",
             held ? nlohmann::ordered_json{{"unlimited_w", held->watts}, {"times_as_long", held->factor}}
                  : nlohmann::ordered_json(nullptr)},
            {"operators", operators}};
  }

  std::string recording_, gpu_, data_, precision_;
  double power_limit_w_ = 0;
  PredictOptions options_;
};

}  // namespace

std::unique_ptr<Command> predict_model_command() {
  return std::make_unique<PredictModel>();
}

}  // namespace kjoule
