#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/process/interruption.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/predict_options.hpp"
#include "cli/options/printed.hpp"
#include "prediction/trained_models.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

class Train final : public Command {
 public:
  std::string name() const override { return "train"; }
  std::string help() const override {
    return "trains models that predict times and energies of operators from samples (see kjoule sample), and "
           "reports their errors";
  }
  std::string example() const override { return "kjoule train merged -o models"; }
  std::vector<TableColumns> tables() const override {
    return {
        {"the table of models",
         {{"rows", "number of sampled shapes"},
          {"cross %", "mean error in four-fold cross-validation"},
          {"largest %",
           "mean error on the fifth of the rows with the largest shapes, which was not used for training"},
          {"model",
           "table and direction for which the model predicts (times, or energies where it says energy), and "
           "its method"}}}};
  }

  void declare(CLI::App& app) override {
    input_file(
        app.add_option("data", data_,
                       "folder of tables that are named GPU_OPERATOR_PRECISION.csv, or a built-in folder: "
                       "Perlmutter/operator (A100), H200/operator"))
        ->required();
    output_folder(app.add_option(
        "-o,--models", models_,
        "folder for the models; default: the folder models of DATA, or ~/.cache/kjoule/models"));
    app.add_flag("--json", json_, "print the models' errors as JSON instead of the table");
  }

  int run() override {
    const KeptNote note(
        [] { return written_files_text() + "; run the same command again to train the missing models"; });
    TrainedModels models(SampledData::open_named(data_, std::filesystem::current_path() / "."),
                         models_.empty() ? std::nullopt : std::optional<std::filesystem::path>(models_));
    check_all(models);
    for (const TableName& table : tables(models.data())) models.refuse_foreign(table);
    models.on_damage = report_damaged_model;
    if (const auto& parts = models.data().parts(); !parts.empty())
      print_error(
          "kjoule: these files were not used, because each contains only a part of a sweep (kjoule sample "
          "merge joins the parts): {}\n",
          fmt::join(parts, ", "));
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    if (!json_) print_output("{:>6} {:>8} {:>9}  {}\n", "rows", "cross %", "largest %", "model");
    for (const TableName& table : tables(models.data()))
      for (const Direction direction : models.directions(table)) tell(models, table, direction, rows);
    if (json_) print_json(rows);
    return 0;
  }

 private:
  /// Reads all tables, so that a faulty one is reported before the first model is written.
  static void check_all(const TrainedModels& models) {
    for (const TableName& table : models.data().tables()) {
      const Samples samples = models.data().samples(table);
      if (samples.shapes.size() < OperatorModel::kFewestRows)
        throw Error(fmt::format("{}.csv: contains {} rows, which are too few for training", table.stem(),
                                samples.shapes.size()),
                    fmt::format("sample at least {} shapes", OperatorModel::kFewestRows));
    }
  }

  /// Returns the tables of a folder, and the single topologies of merged tables of collectives.
  static std::vector<TableName> tables(const SampledData& data) {
    std::vector<TableName> all = data.tables();
    for (const TableName& table : data.tables())
      for (TableName& part : data.topologies(table)) all.push_back(std::move(part));
    return all;
  }

  void tell(TrainedModels& models, const TableName& table, Direction direction,
            nlohmann::ordered_json& rows) const {
    tell(models, table, direction, Measurand::time, models.time(table, direction), rows);
    if (const OperatorModel* energy = models.energy(table, direction))
      tell(models, table, direction, Measurand::energy, *energy, rows);
  }

  void tell(const TrainedModels& models, const TableName& table, Direction direction, Measurand quantity,
            const OperatorModel& model, nlohmann::ordered_json& rows) const {
    if (!models.save_error().empty()) throw Error(models.save_error(), "choose another folder with -o");
    const std::string name = fmt::format("{} {}{}", table.stem(), direction_text(direction),
                                         quantity == Measurand::energy ? " energy" : "");
    if (!json_)
      print_text(table_row(fmt::format("{:>6} {:>8.2f} {:>9.2f}  ", model.rows(),
                                       model.error().cross_validated_percent, model.error().largest_percent),
                           fmt::format("{} ({})", name, model.method())));
    std::fflush(stdout);
    rows.push_back({{"file", models.file(table, direction, quantity).string()},
                    {"quantity", quantity == Measurand::energy ? "energy" : "time"},
                    {"rows", model.rows()},
                    {"cross_validation_error_percent", model.error().cross_validated_percent},
                    {"largest_fifth_error_percent", model.error().largest_percent},
                    {"method", model.method()}});
  }

  std::string data_, models_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> train_command() {
  return std::make_unique<Train>();
}

}  // namespace kjoule
