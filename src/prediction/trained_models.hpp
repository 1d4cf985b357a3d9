#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "prediction/collective_model.hpp"
#include "prediction/operator_model.hpp"
#include "prediction/sampled_data.hpp"

namespace kjoule {

/// The predicted time of one shape and, if energy was sampled, its predicted energy.
struct OperatorPrediction {
  Prediction us;
  std::optional<Prediction> joules;
};

/// The models of the tables in one folder. A model is read from its file; if the file is missing or damaged,
/// or the table has changed, the model is trained and saved. A model's file is a JSON object
/// (docs/guide/predict.md). CollectiveModel and OtherRanksModel need no training, so they have no
/// files. This class is not thread-safe.
class TrainedModels {
 public:
  /// The files of models are in `folder`; without `folder`, in SampledData::models_folder() if there is one.
  explicit TrainedModels(SampledData data, const std::optional<std::filesystem::path>& folder = {});

  /// Called with the file name before a model is trained.
  std::function<void(const std::string&)> on_training = [](const std::string&) {};

  /// Called with the path of a model's file that is damaged, before the model is trained again.
  std::function<void(const std::string&)> on_damage = [](const std::string&) {};

  /// Throws Error if a file that kjoule did not write has the name of a model of this table. All functions
  /// below do so, too, but for one model at a time.
  void refuse_foreign(const TableName& table) const;
  /// Returns the model of a table's times in one direction, which is valid as long as this object. Throws
  /// Error if the table does not contain the direction or cannot be used for training.
  const ShapeModel& time(const TableName& table, Direction direction);
  /// Returns the model of a table's energies in one direction, or null when fewer rows have an energy than
  /// the model needs.
  const ShapeModel* energy(const TableName& table, Direction direction);
  /// Returns time() and energy() of the table of an operator, whose models are OperatorModel.
  const OperatorModel& operator_time(const TableName& table, Direction direction);
  const OperatorModel* operator_energy(const TableName& table, Direction direction);
  /// Predicts time and energy. The prediction for a collective on numbers of nodes and GPUs that were not
  /// sampled states this.
  OperatorPrediction predict(const TableName& table, Direction direction, const std::vector<double>& shape);
  /// Returns the directions for which a table has times.
  std::vector<Direction> directions(const TableName& table) const;
  const SampledData& data() const { return data_; }
  /// Returns whether the models of a table need no training: it has the rows of one topology, and few of them
  /// or none.
  bool has_few_sizes(const TableName& table) const;
  /// Returns the path of a model's file; only its name if models are not kept.
  std::filesystem::path file(const TableName& table, Direction direction, Measurand measurand) const;
  /// Returns why models could not be saved; empty if they could.
  const std::string& save_error() const { return save_error_; }

 private:
  std::optional<OperatorModel> load_model(const std::filesystem::path& path, const std::string& hash) const;
  /// Writes the model's file. If that fails, save_error() returns the reason.
  void save_model(const std::filesystem::path& path, nlohmann::ordered_json model);
  /// Returns the model of a collective, or null when too few rows have the measurand.
  const ShapeModel* collective(const TableName& table, Direction direction, Measurand measurand);
  std::unique_ptr<ShapeModel> make_collective(const TableName& table, Direction direction,
                                              Measurand measurand);
  /// Returns the model of numbers of ranks that were not measured, from those of two that were.
  std::unique_ptr<ShapeModel> make_other_ranks(const TableName& table,
                                               const std::vector<TableName>& neighbours, Direction direction,
                                               Measurand measurand);
  OperatorModel train_model(const TableName& table, Direction direction, Measurand measurand,
                            const std::string& hash);

  SampledData data_;
  ModelsFolder folder_;
  /// By the path of their files; absent if the table has too few energies.
  std::map<std::string, std::optional<OperatorModel>> models_;
  /// By the path that a file would have; null if the table has too few energies.
  std::map<std::string, std::unique_ptr<ShapeModel>> collectives_;
  mutable std::map<std::string, bool> few_sizes_;  ///< results of has_few_sizes(), by the stem of the table
  std::string save_error_;
};

/// Returns the table from which a shape of an operator is predicted; for a collective, that of the shape's
/// numbers of nodes and GPUs. Throws Error if there is no such table, or if the collective cannot have this
/// shape.
TableName find_table(const SampledData& data, const std::string& gpu, const std::string& operation,
                     const std::string& precision, const std::vector<double>& shape);

/// Predicts time and energy of an operator, for example of ("NVIDIAA100-SXM4-80GB", "linear1", "fp16",
/// Direction::forward, {2, 4, 4096, 8192}), or of a collective, for example of ("allreduce", "fp16",
/// Direction::step, {67108864, 1, 2}). Throws Error as find_table(), or if the
/// operator cannot have this shape.
OperatorPrediction predict_operator(TrainedModels& models, const std::string& gpu,
                                    const std::string& operation, const std::string& precision,
                                    Direction direction, const std::vector<double>& shape);

}  // namespace kjoule
