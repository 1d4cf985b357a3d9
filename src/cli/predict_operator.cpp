#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/process/terminal.hpp"
#include "base/text/parse_number.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/predict_options.hpp"
#include "cli/options/printed.hpp"
#include "prediction/operator_kind.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

class PredictOperator final : public Command {
 public:
  std::string name() const override { return "operator"; }
  std::string help() const override {
    return "predicts time and energy of an operator for a shape, from samples of other shapes";
  }
  std::string example() const override {
    return "kjoule predict operator NVIDIAA100-SXM4-80GB linear1 fp16 forward 2 4 4096 8192";
  }

  void declare(CLI::App& app) override {
    app.add_option("gpu", gpu_,
                   "name of the GPU, as in the file names of the sampled tables, e.g. NVIDIAH200")
        ->required();
    app.add_option("operator", operator_, "name of the operator, e.g. linear1, flash_atten, RMSlayernorm")
        ->required();
    app.add_option("precision", precision_, "precision: fp16, bf16 or fp32")->required();
    app.add_option("direction", direction_,
                   "direction: forward (fwd), backward (bwd), or step (dur) for optimizers")
        ->required();
    app.add_option("shape", shape_,
                   "sizes of the operator, one number for each column of sizes in its table, in this order; "
                   "kjoule sample --list shows their names (mp b l dim for linear1)")
        ->required();
    input_file(
        app.add_option("--data", data_,
                       "folder of sampled tables, or a built-in folder: Perlmutter/operator, H200/operator, "
                       "Perlmutter/nccl (collectives); default: the built-in operators of the GPU"));
    options_.declare(app);
  }

  int run() override {
    refuse_other_order();
    TrainedModels models =
        options_.open(data_.empty() ? SampledData::shipped_operators(gpu_)
                                    : SampledData::open_named(data_, std::filesystem::current_path() / "."));
    const Direction direction = parse_direction(direction_);
    const TableName table = find_table(models.data(), gpu_, operator_, precision_, shape_);
    check_shape(models.data().kind_of(table), shape_);
    const OperatorPrediction prediction = models.predict(table, direction, shape_);
    const Shown shown{prediction, models.time(table, direction), models.energy(table, direction)};
    PredictOptions::report_save_error(models);
    if (options_.json)
      print_json(json_of(shown));
    else
      print(shown);
    return 0;
  }

 private:
  /// Returns what a word of the command line stands for, as the arguments are named; empty if it can be any
  /// name.
  static std::string role_of(const std::string& word) {
    if (find_direction(word)) return "direction";
    if (word == "fp16" || word == "bf16" || word == "fp32") return "precision";
    if (parse_number(word)) return "size";
    return find_operator_kind(word) != nullptr ? "operator" : "";
  }

  /// Throws UsageError if a word stands in the place of another one, because one is missing or the order is
  /// wrong. The search for a table would otherwise report a GPU or an operator that is not known.
  void refuse_other_order() const {
    const std::pair<const char*, const std::string&> given[] = {
        {"GPU", gpu_}, {"operator", operator_}, {"precision", precision_}, {"direction", direction_}};
    for (const auto& [place, word] : given)
      if (const std::string role = role_of(word); !role.empty() && role != place)
        throw UsageError(fmt::format("{}: this {} is in the place of the {}", word, role, place),
                         "give GPU, operator, precision, direction and sizes, in this order");
  }

  struct Shown {
    const OperatorPrediction& prediction;
    const OperatorModel& time;
    const OperatorModel* energy;  ///< null if no energy was sampled
  };

  void print(const Shown& shown) const {
    const Prediction& us = shown.prediction.us;
    print_text(wrapped("", fmt::format("{} {} {} on {}: {:.1f} us (90 % interval {:.1f} to {:.1f} us)",
                                       operator_, precision_, direction_text(parse_direction(direction_)),
                                       gpu_, us.value, us.low, us.high)));
    print_text(wrapped("  shape    ", named(shown.time.kind().columns, shape_)) +
               wrapped("  features ", named(shown.time.kind().features, us.features)) +
               wrapped("  model    ", about(shown.time)));
    print_outside(us);
    if (!shown.energy) {
      print_output("  energy   not available: the samples have no energies\n");
      return;
    }
    const Prediction& joules = *shown.prediction.joules;
    print_output("  energy   {:.4g} J (90 % interval {:.4g} to {:.4g} J)\n", joules.value, joules.low,
                 joules.high);
    print_text(wrapped("  model    ", about(*shown.energy)));
    print_outside(joules);
  }

  static std::string about(const OperatorModel& model) {
    return fmt::format(
        "{} on {} rows; mean error {:.2f} % in cross-validation, and {:.2f} % on the fifth with the largest "
        "shapes, which was held out",
        model.method(), model.rows(), model.error().cross_validated_percent, model.error().largest_percent);
  }

  static void print_outside(const Prediction& prediction) {
    if (!prediction.outside.empty())
      print_text(wrapped("  outside the samples: ", fmt::format("{}", fmt::join(prediction.outside, ", "))));
  }

  static std::string named(const std::vector<std::string>& names, const std::vector<double>& values) {
    std::string text;
    for (size_t i = 0; i < values.size(); ++i)
      text += fmt::format("{}{}={}", i ? " " : "", names[i], number_text(values[i]));
    return text;
  }

  nlohmann::ordered_json json_of(const Shown& shown) const {
    const Prediction& us = shown.prediction.us;
    const auto& joules = shown.prediction.joules;
    nlohmann::ordered_json json{
        {"gpu", gpu_},
        {"operator", operator_},
        {"precision", precision_},
        {"direction", direction_text(parse_direction(direction_))},
        {"shape", shape_},
        {"features", us.features},
        {"predicted_us", us.value},
        {"interval_90_us", {us.low, us.high}},
        {"predicted_joules", nullptr},
        {"interval_90_joules", nullptr},
        {"outside_sampled_range", us.outside},
        {"method", shown.time.method()},
        {"rows", shown.time.rows()},
        {"cross_validation_error_percent", shown.time.error().cross_validated_percent},
        {"largest_fifth_error_percent", shown.time.error().largest_percent},
        {"energy_model", nullptr}};
    if (!joules) return json;
    json["predicted_joules"] = joules->value;
    json["interval_90_joules"] = {joules->low, joules->high};
    json["energy_model"] = {{"outside_sampled_range", joules->outside},
                            {"method", shown.energy->method()},
                            {"rows", shown.energy->rows()},
                            {"cross_validation_error_percent", shown.energy->error().cross_validated_percent},
                            {"largest_fifth_error_percent", shown.energy->error().largest_percent}};
    return json;
  }

  std::string gpu_, operator_, precision_, direction_, data_;
  std::vector<double> shape_;
  PredictOptions options_;
};

}  // namespace

std::unique_ptr<Command> predict_operator_command() {
  return std::make_unique<PredictOperator>();
}

}  // namespace kjoule
