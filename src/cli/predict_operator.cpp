#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/process/terminal.hpp"
#include "base/text/counted.hpp"
#include "base/text/parse_number.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/predict_options.hpp"
#include "cli/options/printed.hpp"
#include "cli/options/transfer_options.hpp"
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
                       "Perlmutter/nccl, H200/nccl (collectives); default: the built-in tables of the GPU"));
    transfer_.declare(app);
    options_.declare(app);
  }

  int run() override {
    refuse_other_order();
    const std::string& sampled_gpu = transfer_.like.empty() ? gpu_ : transfer_.like;
    TrainedModels models =
        options_.open(data_.empty() ? SampledData::shipped_with(sampled_gpu, operator_)
                                    : SampledData::open_named(data_, std::filesystem::current_path() / "."));
    const Direction direction = parse_direction(direction_);
    const TableName table = find_table(models.data(), sampled_gpu, operator_, precision_, shape_);
    check_shape(models.data().kind_of(table), shape_);
    if (!transfer_.like.empty()) return predict_from_other_gpu(models, table, direction);
    const OperatorPrediction prediction = models.predict(table, direction, shape_);
    const Shown shown{prediction, models.time(table, direction), models.energy(table, direction), nullptr};
    PredictOptions::report_save_error(models);
    show(shown);
    return 0;
  }

 private:
  int predict_from_other_gpu(TrainedModels& models, const TableName& table, Direction direction) const {
    if (models.data().is_collective(transfer_.like, operator_, precision_))
      throw Error(operator_ + ": a collective cannot be predicted from the tables of another GPU",
                  "measure it with kjoule collectives");
    const OperatorModel& source = models.operator_time(table, direction);
    const TransferredModel model = transfer_.transfer(source, gpu_, operator_, precision_, direction);
    PredictOptions::report_save_error(models);
    const OperatorPrediction prediction{model.predict(shape_), {}};
    show({prediction, source, nullptr, &model});
    return 0;
  }

  struct Shown {
    const OperatorPrediction& prediction;
    const ShapeModel& time;
    const ShapeModel* energy;             ///< null if no energy was sampled
    const TransferredModel* transferred;  ///< null if the tables are those of the GPU
  };

  void show(const Shown& shown) const {
    if (options_.json)
      print_json(json_of(shown));
    else
      print(shown);
  }

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

  void print(const Shown& shown) const {
    const Prediction& us = shown.prediction.us;
    print_text(wrapped("", fmt::format("{} {} {} on {}: {:.1f} us (90 % interval {:.1f} to {:.1f} us)",
                                       operator_, precision_, direction_text(parse_direction(direction_)),
                                       gpu_, us.value, us.low, us.high)));
    print_text(wrapped("  shape    ", named(shown.time.kind().columns, shape_)) +
               wrapped("  features ", named(shown.time.kind().features, us.features)) +
               wrapped("  model    ", about(shown.time)));
    if (shown.transferred) print_text(wrapped("  transfer ", about(*shown.transferred)));
    print_outside(us);
    if (shown.transferred) {
      print_output("  energy   not available: only times are predicted from another GPU\n");
      return;
    }
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

  static std::string about(const ShapeModel& model) {
    const HeldOutError& error = model.error();
    return fmt::format(
        "{} on {} rows; mean error {:.2f} % in cross-validation{}, and {:.2f} % on the fifth with the "
        "largest "
        "shapes, which was held out",
        model.method(), model.rows(), error.cross_validated_percent,
        error.noise_percent ? fmt::format(" (noise: {:.2f} %)", *error.noise_percent) : "",
        error.largest_percent);
  }

  std::string about(const TransferredModel& model) const {
    const auto& [launch, arithmetic, memory] = model.scales();
    const std::string scales =
        fmt::format("model of {}; launch x {:.3g}, arithmetic x {:.3g}, memory x {:.3g}", transfer_.like,
                    launch, arithmetic, memory);
    if (!model.left_out_percent())
      return scales +
             ", by the peak rates; measure 10 shapes and give them with --rows for a narrower interval";
    return fmt::format("{}, fitted to {}; mean error {:.2f} % of rows that were left out", scales,
                       counted(model.rows(), "row"), *model.left_out_percent());
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
        {"noise_percent", noise_json(shown.time)},
        {"energy_model", nullptr},
        {"transfer", shown.transferred ? json_of(*shown.transferred) : nlohmann::ordered_json()}};
    if (!joules) return json;
    json["predicted_joules"] = joules->value;
    json["interval_90_joules"] = {joules->low, joules->high};
    json["energy_model"] = {{"outside_sampled_range", joules->outside},
                            {"method", shown.energy->method()},
                            {"rows", shown.energy->rows()},
                            {"cross_validation_error_percent", shown.energy->error().cross_validated_percent},
                            {"largest_fifth_error_percent", shown.energy->error().largest_percent},
                            {"noise_percent", noise_json(*shown.energy)}};
    return json;
  }

  nlohmann::ordered_json json_of(const TransferredModel& model) const {
    const auto& left_out = model.left_out_percent();
    return {{"gpu_like", transfer_.like},
            {"rows", model.rows()},
            {"launch_scale", model.scales()[0]},
            {"arithmetic_scale", model.scales()[1]},
            {"memory_scale", model.scales()[2]},
            {"correction_share", model.correction_share()},
            {"left_out_error_percent", left_out ? nlohmann::json(*left_out) : nlohmann::json()}};
  }

  static nlohmann::json noise_json(const ShapeModel& model) {
    const auto& noise = model.error().noise_percent;
    return noise ? nlohmann::json(*noise) : nlohmann::json();
  }

  std::string gpu_, operator_, precision_, direction_, data_;
  std::vector<double> shape_;
  TransferOptions transfer_;
  PredictOptions options_;
};

}  // namespace

std::unique_ptr<Command> predict_operator_command() {
  return std::make_unique<PredictOperator>();
}

}  // namespace kjoule
