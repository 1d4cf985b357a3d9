#pragma once
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/process/progress.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/file_options.hpp"
#include "prediction/trained_models.hpp"

namespace kjoule {

/// Prints that a model's file is damaged and is replaced.
inline void report_damaged_model(const std::string& file) {
  print_warning("{}: this model is damaged, so it is trained again and replaced", file);
}

/// Returns a size or feature as a text: all digits of a whole number, otherwise six.
inline std::string number_text(double number) {
  return number == std::floor(number) ? fmt::format("{:.0f}", number) : fmt::format("{:g}", number);
}

/// Options of the subcommands of `kjoule predict`: the folder of models, and the output format.
struct PredictOptions {
  std::string models;
  bool json = false;

  /// Declares the options and returns --models.
  CLI::Option* declare(CLI::App& app) {
    app.add_flag("--json", json, "print JSON instead of the table");
    return input_file(app.add_option(
        "--models", models,
        "folder for trained models; default: the folder models of the data, or ~/.cache/kjoule/models"));
  }
  /// Opens the models of the data. Throws Error if --models names a file.
  TrainedModels open(SampledData data) const {
    std::error_code ignored;
    if (std::filesystem::exists(models, ignored) && !std::filesystem::is_directory(models, ignored))
      throw Error("--models " + models + ": is not a folder", "name a folder for trained models");
    TrainedModels opened(std::move(data),
                         models.empty() ? std::nullopt : std::optional<std::filesystem::path>(models));
    opened.on_damage = report_damaged_model;
    const std::shared_ptr<Progress> progress = make_progress();
    opened.on_training = [progress](const std::string& name) {
      progress->stage("training the model " + name);
    };
    return opened;
  }
  static void report_save_error(const TrainedModels& models) {
    if (!models.save_error().empty())
      print_error("kjoule: trained models are not kept for the next prediction: {}\n", models.save_error());
  }
};

}  // namespace kjoule
