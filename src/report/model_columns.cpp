#include "report/model_columns.hpp"

#include <fmt/format.h>

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using ModelColumn = TableColumn<ReportedModel>;
using ModelRow = const ReportedModel&;

constexpr Places kScreenAndJson = Place::first_screen | Place::json;

}  // namespace

std::string ReportedModel::name() const {
  return fmt::format("{} {}{}", table.stem(), direction_text(direction),
                     measurand == Measurand::energy ? " energy" : "");
}

const std::vector<ModelColumn>& model_columns() {
  static const std::vector<ModelColumn> columns{
      ModelColumn::in_files("file", "path of the model's file; absent for a model that needs no training", "",
                            Place::json,
                            [](ModelRow row) { return row.file.empty() ? Json() : Json(row.file); }),
      ModelColumn::in_files(
          "quantity", "time or energy", "", Place::json,
          [](ModelRow row) { return Json(row.measurand == Measurand::energy ? "energy" : "time"); }),
      ModelColumn::number(
          "rows", "rows", "number of sampled shapes", "rows", kScreenAndJson,
          [](ModelRow row) { return Json(row.model->rows()); }, 0, 6),
      ModelColumn::number(
          "cross %", "cross_validation_error_percent",
          "mean error in four-fold cross-validation; of a collective with few rows, of each size that is "
          "left out",
          "%", kScreenAndJson, [](ModelRow row) { return Json(row.model->error().cross_validated_percent); },
          2, 8),
      ModelColumn::number(
          "largest %", "largest_fifth_error_percent",
          "mean error on the fifth of the rows with the largest shapes, which was not used for training", "%",
          kScreenAndJson, [](ModelRow row) { return Json(row.model->error().largest_percent); }, 2, 9),
      ModelColumn::number(
          "noise %", "noise_percent",
          "mean error that no model can be below, because rows of the same work scatter; -: fewer than 10 "
          "rows have the work of another row",
          "%", kScreenAndJson,
          [](ModelRow row) {
            const auto noise = row.model->error().noise_percent;
            return noise ? Json(*noise) : Json();
          },
          2, 8),
      {"model",
       "method",
       "table and direction for which the model predicts (times, or energies where it says energy), and its "
       "method",
       "",
       kScreenAndJson,
       {},
       [](ModelRow row) { return Json(row.model->method()); }}};
  return columns;
}

TableColumns explained_model_columns() {
  return {"the table of models", explained(model_columns(), Place::first_screen)};
}

}  // namespace kjoule
