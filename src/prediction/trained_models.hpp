#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "prediction/operator_model.hpp"
#include "prediction/sampled_data.hpp"

namespace kjoule {

/// The predicted time and, if energy was sampled, energy of one shape.
struct OperatorPrediction {
  Prediction us;
  std::optional<Prediction> joules;
};

/// The models of the tables of one folder. A model is read from its file. If the file is missing or the table
/// has changed, the model is trained and saved. A file is a JSON object (docs/guide/predict.md). The class is
/// not thread-safe.
class TrainedModels {
 public:
  /// Model files are in `folder`, or by default in SampledData::models_folder(), if there is one.
  explicit TrainedModels(SampledData data, const std::optional<std::filesystem::path>& folder = {});

  /// Called with the file name before a model is trained.
  std::function<void(const std::string&)> on_training = [](const std::string&) {};

  /// Returns the model of a table's times in one direction. It is valid as long as this object. Throws Error
  /// when the table does not contain the direction or cannot be used for training.
  const OperatorModel& time(const TableName& table, Direction direction);
  /// Returns the model of a table's energies in one direction, or null when fewer than
  /// OperatorModel::kFewestRows rows have an energy.
  const OperatorModel* energy(const TableName& table, Direction direction);
  /// Predicts time and energy.
  OperatorPrediction predict(const TableName& table, Direction direction, const std::vector<double>& shape);
  /// Returns the directions for which a table has times.
  std::vector<Direction> directions(const TableName& table) const;
  const SampledData& data() const { return data_; }
  /// Returns the path of a model's file; only its name if models are not kept.
  std::filesystem::path file(const TableName& table, Direction direction, Measurand measurand) const;
  /// Returns why models could not be saved; empty if they could.
  const std::string& save_error() const { return save_error_; }

 private:
  std::optional<OperatorModel> load_model(const std::filesystem::path& path, const std::string& hash) const;
  /// Writes the model's file. If that fails, save_error() returns the reason.
  void save_model(const std::filesystem::path& path, const nlohmann::ordered_json& model);
  OperatorModel train_model(const TableName& table, Direction direction, Measurand measurand,
                            const std::string& csv);

  SampledData data_;
  ModelsFolder folder_;
  /// By file; nullopt means that the table has no energy.
  std::map<std::string, std::optional<OperatorModel>> models_;
  std::string save_error_;
};

/// Predicts time and energy of an operator, for example of ("NVIDIAA100-SXM4-80GB", "linear1", "fp16",
/// Direction::forward, {2, 4, 4096, 8192}). Throws Error when the data do not exist, and for a shape that the
/// operator cannot have.
OperatorPrediction predict_operator(TrainedModels& models, const std::string& gpu,
                                    const std::string& operation, const std::string& precision,
                                    Direction direction, const std::vector<double>& shape);

}  // namespace kjoule
