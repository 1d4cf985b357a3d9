#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/predict_options.hpp"
#include "cli/options/printed.hpp"
#include "prediction/needed_models.hpp"
#include "prediction/reference_models.hpp"
#include "prediction/step.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

/// Largest power, as a multiple of the power limit, up to which the formula for the slowdown was tested
/// (docs/reference/results.md, "Training steps").
constexpr double kLawHoldsTo = 1.42;

class PredictStep final : public Command {
 public:
  std::string name() const override { return "step"; }
  std::string help() const override {
    return "predicts time and energy of an optimizer step with 3D parallelism";
  }
  std::string example() const override { return "kjoule predict step llemma_7b_4_2_2_P --schedule 1f1b"; }
  std::vector<TableColumns> tables() const override {
    return {{"the table of terms",
             {{"term", "operator and its direction (forward or backward), or communication between GPUs"},
              {"us", "predicted time in microseconds; * if the shape is outside the samples"},
              {"J", "predicted energy in joules"},
              {"input", "sizes of the operator's shape"},
              {"features", "numbers from which the model predicts, such as the sizes of a matrix product"}}},
            {"the table of pipeline stages",
             {{"stage", "number of the stage"},
              {"layers", "number of layers in the stage"},
              {"parameters", "number of parameters on one GPU"},
              {"forward us", "time of the forward pass of one micro-batch"},
              {"backward us", "time of the backward pass of one micro-batch"},
              {"update us", "time of the optimizer's update"}}}};
  }

  void declare(CLI::App& app) override {
    input_file(
        app.add_option("config", config_,
                       "YAML file (docs/guide/predict.md), or name of a built-in configuration (see kjoule "
                       "predict list-examples)"))
        ->required();
    CLI::Option* schedule =
        app.add_option("--schedule", schedule_, "schedule of the micro-batches: gpipe or 1f1b");
    schedule->capture_default_str();
    CLI::Option* reference =
        app.add_flag("--reference", reference_,
                     "for comparison, use the formulas and models of estimate-train-time instead of kjoule's "
                     "own (docs/guide/predict.md)");
    reference->excludes(schedule);
    app.add_option("--seed", seed_, "random seed of the models of --reference")
        ->capture_default_str()
        ->needs(reference);
    options_.declare(app)->excludes(reference);
  }

  int run() override {
    if (schedule_ != "gpipe" && schedule_ != "1f1b")
      throw UsageError("--schedule " + schedule_ + ": not known", "use gpipe or 1f1b");
    const bool file = is_file_name(config_);
    const fs::path beside = file ? fs::absolute(config_) : fs::path();
    const TrainingConfiguration run =
        read_training_configuration(file ? read_text(config_) : shipped_training(config_), config_,
                                    [&beside](const std::string& folder, const std::string& name) {
                                      const SampledData data = SampledData::open_named(folder, beside);
                                      const OwnOperator* own = data.own_operator(name);
                                      return own ? std::optional(*own) : std::nullopt;
                                    });
    SampledData operators = SampledData::open_named(run.operator_folder, beside);
    SampledData collectives = SampledData::open_named(run.collective_folder, beside);
    const StepPrediction step = reference_
                                    ? predict_as_reference(run, std::move(operators), std::move(collectives))
                                    : by_kjoule(run, std::move(operators), std::move(collectives));
    if (options_.json)
      print_json(json_of(step));
    else
      print(run, step);
    return 0;
  }

 private:
  StepPrediction predict_as_reference(const TrainingConfiguration& run, SampledData operators,
                                      SampledData collectives) const {
    ReferenceModels models(std::move(operators), std::move(collectives), run.gpu, run.precision, seed_);
    return predict_reference_step(run, models);
  }

  StepPrediction by_kjoule(const TrainingConfiguration& run, SampledData operators,
                           SampledData collectives) const {
    TrainedModels of_operators = options_.open(std::move(operators));
    TrainedModels of_collectives = options_.open(std::move(collectives));
    prepare(needed_models(run, of_operators, of_collectives));
    TrainedStepModels models(of_operators, of_collectives, run.gpu, run.precision);
    const StepPrediction step = predict_corrected_step(run, models, schedule());
    PredictOptions::report_save_error(of_operators);
    if (of_collectives.save_error() != of_operators.save_error())
      PredictOptions::report_save_error(of_collectives);
    return step;
  }

  /// Reads the models from their files, or trains them and shows the progress.
  static void prepare(const std::vector<NeededModel>& needed) {
    const std::unique_ptr<Progress> progress = make_progress();
    bool begun = false;
    for (size_t i = 0; i < needed.size(); ++i) {
      TrainedModels& source = *needed[i].source;
      source.on_training = [&](const std::string&) {
        if (!std::exchange(begun, true)) progress->stage("training the models of operators and collectives");
        progress->update(static_cast<double>(i) / static_cast<double>(needed.size()));
      };
      source.time(needed[i].table, needed[i].direction);
      source.energy(needed[i].table, needed[i].direction);
      source.on_training = [](const std::string&) {};
    }
    progress->finish();
  }

  Schedule schedule() const {
    return schedule_ == "gpipe" ? Schedule::gpipe : Schedule::one_forward_one_backward;
  }

  void print(const TrainingConfiguration& run, const StepPrediction& step) const {
    print_terms(step);
    print_output("\n{:<8} {:>6} {:>16} {:>14} {:>14} {:>14}\n", "stage", "layers", "parameters", "forward us",
                 "backward us", "update us");
    for (size_t s = 0; s < step.stages.size(); ++s) {
      const Stage& stage = step.stages[s];
      print_output("{:<8} {:>6} {:>16.0f} {:>14.1f} {:>14.1f} {:>14.1f}\n", stage_name(s), stage.layers,
                   stage.parameters, stage.forward.us, stage.backward.us, stage.update.us);
    }
    print_output("\n{} micro-batches, {}: {:.2f} us; update {:.2f} us\n", run.micro_batches,
                 reference_ ? "all as long as the slowest" : schedule_, step.pipeline_us, step.update_us);
    print_output("step: {:.2f} us = {:.2f} ms = {:.4f} s\n", step.total_us, step.total_us * 1e-3,
                 step.total_us * 1e-6);
    print_held_back(run, step);
    print_energy(step);
    if (!reference_) print_output("docs/guide/predict.md lists how these formulas differ from --reference\n");
  }

  static void print_terms(const StepPrediction& step) {
    print_output("{:<40} {:>14} {:>12}\n    input; features\n", "term", "us", "J");
    bool beyond = false;
    for (const StepLine& line : step.lines) {
      const auto& [us, joules] = line.prediction;
      const bool outside = !us.outside.empty() || (joules && !joules->outside.empty());
      beyond = beyond || outside;
      print_output("{:<40} {:>14.1f} {:>12}{}\n", line.name, us.value,
                   joules ? fmt::format("{:.4g}", joules->value) : "-", outside ? " *" : "");
      print_text(wrapped("    ", numbers(line.input) + "; " + numbers(us.features)));
    }
    if (beyond) print_output("* outside the samples (--json names the sizes)\n");
  }

  static void print_held_back(const TrainingConfiguration& run, const StepPrediction& step) {
    for (size_t s = 0; s < step.stages.size(); ++s)
      if (const auto& held = step.stages[s].slowdown)
        print_text(
            wrapped("", fmt::format("stage {} would need {:.0f} W from each GPU; at the power limit of "
                                    "{:.0f} W, it takes {:.1f} % longer{}",
                                    s, held->watts, *run.power_limit_w, 100 * (held->factor - 1),
                                    held->watts > kLawHoldsTo * *run.power_limit_w
                                        ? " (extrapolated: the formula was tested up to 1.42 times the limit)"
                                        : "")));
  }

  void print_energy(const StepPrediction& step) const {
    const std::vector<std::string> lacking = without_energy(step);
    if (step.joules)
      print_output("energy: {:.4g} kJ for all GPUs while they work\n", *step.joules * 1e-3);
    else if (reference_ || lacking.size() == step.lines.size())
      print_output("energy: not available: the samples have no energies\n");
    else
      print_text(wrapped("", fmt::format("energy: not available: the samples have no energies of {}",
                                         fmt::join(lacking, ", "))));
  }

  static std::vector<std::string> without_energy(const StepPrediction& step) {
    std::vector<std::string> names;
    for (const StepLine& line : step.lines)
      if (!line.prediction.joules) names.push_back(line.name);
    return names;
  }

  nlohmann::ordered_json line_json(const StepLine& line) const {
    const auto& [us, joules] = line.prediction;
    nlohmann::ordered_json json{{"name", line.name},
                                {"input", line.input},
                                {"features", us.features},
                                {"predicted_us", us.value},
                                {"interval_90_us", {us.low, us.high}},
                                {"predicted_joules", nullptr},
                                {"interval_90_joules", nullptr},
                                {"outside_sampled_range", us.outside}};
    if (reference_) json["interval_90_us"] = nullptr;  // the reference trees give no interval
    if (!joules) return json;
    json["predicted_joules"] = joules->value;
    json["interval_90_joules"] = {joules->low, joules->high};
    json["energy_outside_sampled_range"] = joules->outside;
    return json;
  }

  static nlohmann::ordered_json stage_json(const Stage& stage) {
    nlohmann::ordered_json json{{"layers", stage.layers},         {"parameters", stage.parameters},
                                {"forward_us", stage.forward.us}, {"backward_us", stage.backward.us},
                                {"update_us", stage.update.us},   {"power_limited", nullptr}};
    if (const auto& held = stage.slowdown)
      json["power_limited"] = {{"unlimited_w", held->watts}, {"times_as_long", held->factor}};
    return json;
  }

  std::string stage_name(size_t s) const {
    return reference_ ? std::vector<std::string>{"head", "middle", "tail"}[s] : fmt::format("{}", s);
  }

  static std::string numbers(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : " ") + number_text(value);
    return text;
  }

  nlohmann::ordered_json json_of(const StepPrediction& step) const {
    nlohmann::ordered_json lines = nlohmann::ordered_json::array(), stages = nlohmann::ordered_json::array();
    for (const StepLine& line : step.lines) lines.push_back(line_json(line));
    for (const Stage& stage : step.stages) stages.push_back(stage_json(stage));
    return {{"configuration", config_},
            {"composition", reference_ ? "reference" : "corrected"},
            {"schedule", reference_ ? "reference" : schedule_},
            {"terms", lines},
            {"stages", stages},
            {"pipeline_us", step.pipeline_us},
            {"update_us", step.update_us},
            {"total_us", step.total_us},
            {"total_ms", step.total_us * 1e-3},
            {"total_s", step.total_us * 1e-6},
            {"total_joules", step.joules ? nlohmann::ordered_json(*step.joules) : nullptr},
            {"without_energy", without_energy(step)}};
  }

  std::string config_, schedule_ = "1f1b";
  bool reference_ = false;
  unsigned seed_ = 42;
  PredictOptions options_;
};

}  // namespace

std::unique_ptr<Command> predict_step_command() {
  return std::make_unique<PredictStep>();
}

}  // namespace kjoule
