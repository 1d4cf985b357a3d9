#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/predict_options.hpp"

namespace kjoule {

namespace {

class PredictOperator final : public Command {
 public:
  std::string name() const override { return "operator"; }
  std::string help() const override { return "time of one operator of any shape, from samples of others"; }
  std::string example() const override {
    return "kjoule predict operator NVIDIAA100-SXM4-80GB linear1 fp16 forward 2 4 4096 8192";
  }

  void declare(CLI::App& app) override {
    app.add_option("gpu", gpu_, "as the tables' names begin")->required();
    app.add_option("operator", operator_, "e.g. linear1, flash_atten, RMSlayernorm")->required();
    app.add_option("precision", precision_, "fp16, bf16 or fp32")->required();
    app.add_option("direction", direction_, "forward, backward, or step (optimizers); also fwd, bwd, dur")
        ->required();
    app.add_option("shape", shape_, "a number for each column of the table, e.g. mp b l dim")->required();
    app.add_option("--data", data_, "folder of sampled tables; default: the A100's that kjoule brings");
    options_.declare(app);
  }

  int run() override {
    TrainedModels models =
        options_.open(data_.empty() ? SampledData::shipped_operators() : SampledData::of_folder(data_));
    const Direction direction = direction_of(direction_);
    const TableName table = models.data().find(gpu_, operator_, precision_);
    check_shape(operator_kind(operator_, models.data().samples(table).columns), shape_);
    const Prediction prediction = predict_operator(models, gpu_, operator_, precision_, direction, shape_);
    const OperatorModel& model = models.get(table, direction);
    PredictOptions::tell_not_kept(models);
    if (options_.json)
      fmt::print("{}\n", json_of(prediction, model).dump(2));
    else
      print(prediction, model);
    return 0;
  }

 private:
  void print(const Prediction& prediction, const OperatorModel& model) const {
    fmt::print("{} {} {} on {}: {:.1f} us (90 % interval {:.1f} to {:.1f} us)\n", operator_, precision_,
               direction_name(direction_of(direction_)), gpu_, prediction.us, prediction.low_us,
               prediction.high_us);
    fmt::print("  shape    {}\n  features {}\n", named(model.kind().columns, shape_),
               named(model.kind().features, prediction.features));
    fmt::print(
        "  model    {} on {} rows; off by {:.2f} % on a random fifth, {:.2f} % on the largest fifth held "
        "out\n",
        model.method(), model.rows(), model.error().random_percent, model.error().largest_percent);
    if (!prediction.outside.empty())
      fmt::print("  outside what was sampled: {}\n", fmt::join(prediction.outside, ", "));
  }

  static std::string named(const std::vector<std::string>& names, const std::vector<double>& values) {
    std::string text;
    for (size_t i = 0; i < values.size(); ++i)
      text += fmt::format("{}{}={:.0f}", i ? " " : "", names[i], values[i]);
    return text;
  }

  nlohmann::ordered_json json_of(const Prediction& prediction, const OperatorModel& model) const {
    return {{"gpu", gpu_},
            {"operator", operator_},
            {"precision", precision_},
            {"direction", direction_name(direction_of(direction_))},
            {"shape", shape_},
            {"features", prediction.features},
            {"predicted_us", prediction.us},
            {"interval_90_us", {prediction.low_us, prediction.high_us}},
            {"outside_sampled_range", prediction.outside},
            {"method", model.method()},
            {"rows", model.rows()},
            {"random_fifth_error_percent", model.error().random_percent},
            {"largest_fifth_error_percent", model.error().largest_percent}};
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
