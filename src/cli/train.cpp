#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files/csv.hpp"
#include "base/files/files.hpp"
#include "base/process/interruption.hpp"
#include "base/process/terminal.hpp"
#include "base/text/counted.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/gpu_rates_of.hpp"
#include "cli/options/predict_options.hpp"
#include "cli/options/printed.hpp"
#include "prediction/suspicious_rows.hpp"
#include "prediction/trained_models.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

class Train final : public Command {
 public:
  std::string name() const override { return "train"; }
  std::string help() const override {
    return "trains models that predict times and energies of operators from samples (see kjoule sample), and "
           "reports their errors and suspicious rows";
  }
  std::string example() const override { return "kjoule train merged -o models"; }
  std::vector<TableColumns> tables() const override {
    return {
        {"the table of models",
         {{"rows", "number of sampled shapes"},
          {"cross %", "mean error in four-fold cross-validation"},
          {"largest %",
           "mean error on the fifth of the rows with the largest shapes, which was not used for training"},
          {"noise %",
           "mean error that no model can be below, because rows of the same work scatter; -: fewer than 10 "
           "rows have the work of another row"},
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
    output_folder(app.add_option(
        "--repeat-list", repeat_list_,
        "folder for lists of suspicious rows, one CSV file for each table that has some; kjoule sample "
        "--shapes measures the shapes of such a file again"));
    app.add_flag("--json", json_, "print errors and suspicious rows as JSON instead of text");
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
    if (!json_)
      print_output("{:>6} {:>8} {:>9} {:>8}  {}\n", "rows", "cross %", "largest %", "noise %", "model");
    for (const TableName& table : tables(models.data()))
      for (const Direction direction : models.directions(table)) tell(models, table, direction, rows);
    if (json_)
      print_json(rows);
    else
      print_suspicious();
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
            nlohmann::ordered_json& rows) {
    tell(models, table, direction, Measurand::time, models.time(table, direction), rows);
    if (const OperatorModel* energy = models.energy(table, direction))
      tell(models, table, direction, Measurand::energy, *energy, rows);
  }

  void tell(const TrainedModels& models, const TableName& table, Direction direction, Measurand quantity,
            const OperatorModel& model, nlohmann::ordered_json& rows) {
    if (!models.save_error().empty()) throw Error(models.save_error(), "choose another folder with -o");
    const std::string name = fmt::format("{} {}{}", table.stem(), direction_text(direction),
                                         quantity == Measurand::energy ? " energy" : "");
    const HeldOutError& error = model.error();
    if (!json_)
      print_text(
          table_row(fmt::format("{:>6} {:>8.2f} {:>9.2f} {:>8}  ", model.rows(),
                                error.cross_validated_percent, error.largest_percent,
                                error.noise_percent ? fmt::format("{:.2f}", *error.noise_percent) : "-"),
                    fmt::format("{} ({})", name, model.method())));
    std::fflush(stdout);
    Suspicions found = find_suspicions(models.data(), table, direction, quantity);
    rows.push_back(
        {{"file", models.file(table, direction, quantity).string()},
         {"quantity", quantity == Measurand::energy ? "energy" : "time"},
         {"rows", model.rows()},
         {"cross_validation_error_percent", error.cross_validated_percent},
         {"largest_fifth_error_percent", error.largest_percent},
         {"noise_percent", error.noise_percent ? nlohmann::json(*error.noise_percent) : nlohmann::json()},
         {"method", model.method()},
         {"suspicious_rows", json_of(found)}});
    if (found.rows.empty()) return;
    suspicions_.push_back(std::move(found));
    if (!repeat_list_.empty()) write_list(table);
  }

  /// The suspicious times or energies of one direction of a table.
  struct Suspicions {
    TableName table;
    Direction direction;
    Measurand quantity;
    std::vector<std::string> columns;
    MeasuredShapes measured;
    std::vector<SuspiciousRow> rows;

    std::string name() const {
      return fmt::format("{} {}{}", table.stem(), direction_text(direction),
                         quantity == Measurand::energy ? " energy" : "");
    }
    const char* unit() const { return quantity == Measurand::energy ? "J" : "us"; }
    const std::vector<double>& shape(const SuspiciousRow& row) const { return measured.shapes[row.row]; }
  };

  static Suspicions find_suspicions(const SampledData& data, const TableName& table, Direction direction,
                                    Measurand quantity) {
    const OperatorKind kind = data.kind_of(table);
    Suspicions found{
        table, direction, quantity, kind.columns, data.samples(table).select(direction, quantity), {}};
    const auto rates = quantity == Measurand::time ? rates_of(table.gpu, table.precision) : std::nullopt;
    found.rows = find_suspicious_rows(kind, found.measured.shapes, found.measured.costs, rates);
    return found;
  }

  static nlohmann::ordered_json json_of(const Suspicions& found) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const SuspiciousRow& row : found.rows)
      rows.push_back({{"shape", found.shape(row)},
                      {"measured", row.measured},
                      {"expected", row.expected},
                      {"reason", row.reason}});
    return rows;
  }

  /// Prints the suspicious row with the largest deviation of each table and direction.
  void print_suspicious() const {
    if (suspicions_.empty()) return print_output("no suspicious rows\n");
    size_t count = 0;
    for (const Suspicions& one : suspicions_) count += one.rows.size();
    print_text(wrapped("", fmt::format("{} (they stay in the tables{}):", counted(count, "suspicious row"),
                                       repeat_list_.empty() ? "; --repeat-list DIR lists them"
                                                            : "; listed in " + repeat_list_)));
    for (const Suspicions& one : suspicions_) {
      const SuspiciousRow& row = one.rows.front();
      std::string shape;
      for (size_t c = 0; c < one.columns.size(); ++c)
        shape += fmt::format("{}={} ", one.columns[c], number_text(one.shape(row)[c]));
      print_text(wrapped(
          "  ", fmt::format("{}: {} of {}; the largest deviation: {}{:.4g} {} instead of {:.4g} {} ({})",
                            one.name(), one.rows.size(), one.measured.costs.size(), shape, row.measured,
                            one.unit(), row.expected, one.unit(), row.reason)));
    }
  }

  /// Writes the suspicious rows of a table, in both directions.
  void write_list(const TableName& table) const {
    std::string text;
    for (const Suspicions& one : suspicions_) {
      if (one.table.stem() != table.stem()) continue;
      if (text.empty()) {
        std::vector<std::string> header = one.columns;
        header.insert(header.end(), {"direction", "unit", "measured", "expected", "reason"});
        text = csv_line(header) + "\n";
      }
      for (const SuspiciousRow& row : one.rows) {
        std::vector<std::string> cells;
        for (const double size : one.shape(row)) cells.push_back(number_text(size));
        cells.insert(cells.end(), {direction_text(one.direction), one.unit(), number_cell(row.measured),
                                   fmt::format("{:.6g}", row.expected), row.reason});
        text += csv_line(cells) + "\n";
      }
    }
    make_folder(repeat_list_);
    write_atomic(std::filesystem::path(repeat_list_) / (table.stem() + ".csv"), text);
  }

  std::string data_, models_, repeat_list_;
  bool json_ = false;
  std::vector<Suspicions> suspicions_;
};

}  // namespace

std::unique_ptr<Command> train_command() {
  return std::make_unique<Train>();
}

}  // namespace kjoule
