#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "prediction/operator_model.hpp"
#include "prediction/sampled_data.hpp"

namespace kjoule {

/// Time and, where it was sampled, energy of one shape.
struct OperatorPrediction {
  Prediction us;
  std::optional<Prediction> joules;
};

/// Models of the tables of one folder, each read from its file or, when that is missing or the table has
/// changed since, trained and kept. A file is a JSON object (docs/guide/predict.md). Not thread-safe.
class TrainedModels {
 public:
  /// Files are in `folder`, or where the data wants them.
  explicit TrainedModels(SampledData data, const std::optional<std::filesystem::path>& folder = {});

  /// Called before a model is trained, with its file's name.
  std::function<void(const std::string&)> on_training = [](const std::string&) {};

  /// The model of a table's times in a direction; lives as long as this. Throws Error when the table has no
  /// such direction or cannot be trained on.
  const OperatorModel& time(const TableName& table, Direction direction);
  /// That of its energies; null when fewer than OperatorModel::kFewestRows rows have one.
  const OperatorModel* energy(const TableName& table, Direction direction);
  /// By both.
  OperatorPrediction predict(const TableName& table, Direction direction, const std::vector<double>& shape);
  /// Directions that a table has times of.
  std::vector<Direction> directions(const TableName& table) const;
  const SampledData& data() const { return data_; }
  /// Where a model is kept.
  std::filesystem::path file(const TableName& table, Direction direction, Measurand measurand) const;
  /// Why models could not be kept; empty when they could.
  const std::string& not_kept() const { return not_kept_; }

 private:
  std::optional<OperatorModel> kept(const std::filesystem::path& path, const std::string& hash) const;
  OperatorModel trained(const TableName& table, Direction direction, Measurand measurand,
                        const std::string& csv);

  SampledData data_;
  std::filesystem::path folder_;
  std::map<std::string, std::optional<OperatorModel>> models_;  ///< by their files; nothing: no energy
  std::string not_kept_;
};

/// Time and energy of an operator of any shape, e.g. ("NVIDIAA100-SXM4-80GB", "linear1", "fp16",
/// Direction::forward, {2, 4, 4096, 8192}). Throws Error for data that is not there, and for a shape that the
/// operator cannot have.
OperatorPrediction predict_operator(TrainedModels& models, const std::string& gpu,
                                    const std::string& operation, const std::string& precision,
                                    Direction direction, const std::vector<double>& shape);

}  // namespace kjoule
