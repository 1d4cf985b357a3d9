#pragma once
#include <string>
#include <vector>

#include "prediction/trained_models.hpp"
#include "report/table_column.hpp"

namespace kjoule {

/// A trained model of a table's times or energies in one direction.
struct ReportedModel {
  TableName table;
  Direction direction = Direction::forward;
  Measurand measurand = Measurand::time;
  std::string file;                   ///< path of the model's file; empty for a model that needs no training
  const ShapeModel* model = nullptr;  ///< valid as long as the TrainedModels

  /// Returns the table and the direction, "H200_gelu_fp16 forward energy".
  std::string name() const;
};

/// Returns the columns of trained models: of the table and the JSON of kjoule train.
const std::vector<TableColumn<ReportedModel>>& model_columns();
/// Returns those of them that the screen shows, for the help.
TableColumns explained_model_columns();

}  // namespace kjoule
