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
#include "cli/options/page_file.hpp"
#include "cli/options/predict_options.hpp"
#include "cli/options/printed.hpp"
#include "page/models_page.hpp"
#include "prediction/suspicious_rows.hpp"
#include "prediction/trained_models.hpp"
#include "report/model_columns.hpp"
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
  std::vector<TableColumns> tables() const override { return {explained_model_columns()}; }

  void declare(CLI::App& app) override {
    input_file(
        app.add_option("data", data_,
                       "folder of tables that are named GPU_OPERATOR_PRECISION.csv, or a built-in folder: "
                       "Perlmutter/operator (A100), H200/operator, Perlmutter/nccl, "
                       "H200/nccl (collectives)"))
        ->required();
    output_folder(app.add_option(
        "-o,--models", models_,
        "folder for the models; default: the folder models of DATA, or ~/.cache/kjoule/models"));
    output_folder(app.add_option(
        "--repeat-list", repeat_list_,
        "folder for lists of suspicious rows, one CSV file for each table that has some; kjoule sample "
        "--shapes measures the shapes of such a file again"));
    app.add_flag("--json", json_, "print errors and suspicious rows as JSON instead of text");
    page_.declare(app);
  }

  int run() override {
    const KeptNote note(
        [] { return written_files_text() + "; run the same command again to train the missing models"; });
    TrainedModels models(SampledData::open_named(data_, std::filesystem::current_path() / "."),
                         models_.empty() ? std::nullopt : std::optional<std::filesystem::path>(models_));
    check_repeat_list(models.data());
    check_all(models);
    for (const TableName& table : tables(models.data())) models.refuse_foreign(table);
    models.on_damage = report_damaged_model;
    if (const auto& parts = models.data().parts(); !parts.empty())
      print_error(
          "kjoule: these files were not used, because each contains only a part of a sweep (kjoule sample "
          "merge joins the parts): {}\n",
          fmt::join(parts, ", "));
    const ShownColumns<ReportedModel> columns(model_columns(), Place::first_screen, {}, ColumnGaps{});
    if (!json_) print_output("{}  model\n", columns.heads());
    std::vector<ReportedModel> trained;
    for (const TableName& table : tables(models.data()))
      for (const Direction direction : models.directions(table))
        tell(models, table, direction, columns, trained);
    if (json_)
      print_json(rows_json(trained));
    else
      print_suspicious();
    if (page_.is_requested()) page_.write(models_page(trained, models.data()));
    return 0;
  }

 private:
  /// Throws UsageError if the lists would be written over the tables, and Error if a file in the place of a
  /// list is something else.
  void check_repeat_list(const SampledData& data) const {
    if (repeat_list_.empty()) return;
    if (data.is_in(repeat_list_))
      throw UsageError(fmt::format("--repeat-list {}: is the folder of the tables, which have the names of "
                                   "the lists",
                                   repeat_list_),
                       "name another folder for the lists");
    for (const TableName& table : tables(data)) {
      const std::filesystem::path path = list_path(table);
      if (read_beginning(path, 1).empty() || is_list(path)) continue;
      throw Error(path.string() + ": is not a list of suspicious rows, so it is not replaced",
                  "name another folder with --repeat-list, or move the file away");
    }
  }

  std::filesystem::path list_path(const TableName& table) const {
    return std::filesystem::path(repeat_list_) / (table.stem() + ".csv");
  }

  /// Returns whether a file is a list of suspicious rows that an earlier command wrote.
  static bool is_list(const std::filesystem::path& path) {
    constexpr size_t kLongestListHeader = size_t{1} << 16;
    const std::string begin = read_beginning(path, kLongestListHeader);
    return std::string_view(begin).substr(0, begin.find('\n')).ends_with("," + csv_line(list_columns()));
  }

  /// Reads all tables, so that a faulty one is reported before the first model is written.
  static void check_all(const TrainedModels& models) {
    for (const TableName& table : models.data().tables()) {
      const Samples samples = models.data().samples(table);
      const bool has_sizes = models.has_few_sizes(table);
      const size_t fewest = has_sizes ? CollectiveModel::kFewestSizes : OperatorModel::kFewestRows;
      const size_t there = has_sizes ? count_different(samples.shapes) : samples.shapes.size();
      if (there < fewest)
        throw Error(fmt::format("{}.csv: contains {}, which are too few for training", table.stem(),
                                counted(there, has_sizes ? "different size" : "row")),
                    fmt::format("sample at least {} shapes", fewest));
    }
  }

  /// Returns the tables of a folder, and the single topologies of merged tables of collectives.
  static std::vector<TableName> tables(const SampledData& data) {
    std::vector<TableName> all = data.tables();
    for (const TableName& table : data.tables())
      for (TableName& part : data.topologies(table)) all.push_back(std::move(part));
    return all;
  }

  /// Trains the models of a direction and prints their lines.
  void tell(TrainedModels& models, const TableName& table, Direction direction,
            const ShownColumns<ReportedModel>& columns, std::vector<ReportedModel>& trained) {
    const auto add = [&](Measurand measurand, const ShapeModel& model) {
      if (!models.save_error().empty()) throw Error(models.save_error(), "choose another folder with -o");
      const std::string file =
          models.has_few_sizes(table) ? "" : models.file(table, direction, measurand).string();
      trained.push_back({table, direction, measurand, file, &model});
      const ReportedModel& row = trained.back();
      if (!json_)
        print_text(table_row(columns.cells(row) + "  ", fmt::format("{} ({})", row.name(), model.method())));
      std::fflush(stdout);
      suspicions_.push_back(find_suspicions(models.data(), row));
      if (!repeat_list_.empty()) write_list(table);
    };
    add(Measurand::time, models.time(table, direction));
    if (const ShapeModel* energy = models.energy(table, direction)) add(Measurand::energy, *energy);
  }

  /// Returns the rows of all models, each with its suspicious rows.
  nlohmann::ordered_json rows_json(const std::vector<ReportedModel>& trained) const {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (size_t i = 0; i < trained.size(); ++i) {
      rows.push_back(json_object(model_columns(), trained[i]));
      rows.back()["suspicious_rows"] = json_of(suspicions_[i]);
    }
    return rows;
  }

  /// The suspicious rows of the samples of a model.
  struct Suspicions {
    ReportedModel model;
    std::vector<std::string> columns;
    MeasuredShapes measured;
    std::vector<SuspiciousRow> rows;

    const char* unit() const { return model.measurand == Measurand::energy ? "J" : "us"; }
    const std::vector<double>& shape(const SuspiciousRow& row) const { return measured.shapes[row.row]; }
  };

  static Suspicions find_suspicions(const SampledData& data, const ReportedModel& model) {
    const TableName& table = model.table;
    const OperatorKind kind = data.kind_of(table);
    Suspicions found{model, kind.columns, data.samples(table).select(model.direction, model.measurand), {}};
    const auto rates =
        model.measurand == Measurand::time ? rates_of(table.gpu, table.precision) : std::nullopt;
    found.rows = find_suspicious_rows(kind, found.measured.shapes, found.measured.costs, rates);
    const size_t count = found.measured.costs.size();
    const size_t compared = rows_compared_with_larger_shapes(count).size();
    if (compared < count)
      print_error(
          "kjoule: {}: only {} of its {} rows, evenly spread, were compared with larger shapes to find "
          "suspicious rows\n",
          model.name(), compared, count);
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
    size_t count = 0;
    for (const Suspicions& one : suspicions_) count += one.rows.size();
    if (count == 0) return print_output("no suspicious rows\n");
    print_text(wrapped("", fmt::format("{} (they stay in the tables{}):", counted(count, "suspicious row"),
                                       repeat_list_.empty() ? "; --repeat-list DIR lists them"
                                                            : "; listed in " + repeat_list_)));
    for (const Suspicions& one : suspicions_) {
      if (one.rows.empty()) continue;
      const SuspiciousRow& row = one.rows.front();
      std::string shape;
      for (size_t c = 0; c < one.columns.size(); ++c)
        shape += fmt::format("{}={} ", one.columns[c], number_text(one.shape(row)[c]));
      print_text(wrapped(
          "  ", fmt::format("{}: {} of {}; the largest deviation: {}{:.4g} {} instead of {:.4g} {} ({})",
                            one.model.name(), one.rows.size(), one.measured.costs.size(), shape, row.measured,
                            one.unit(), row.expected, one.unit(), row.reason)));
    }
  }

  /// Writes the suspicious rows of a table, in both directions. Without any, removes the list that an earlier
  /// command wrote.
  void write_list(const TableName& table) const {
    std::string text;
    for (const Suspicions& one : suspicions_) {
      if (one.model.table.stem() != table.stem() || one.rows.empty()) continue;
      if (text.empty()) {
        std::vector<std::string> header = one.columns;
        for (const std::string& column : list_columns()) header.push_back(column);
        text = csv_line(header) + "\n";
      }
      for (const SuspiciousRow& row : one.rows) {
        std::vector<std::string> cells;
        for (const double size : one.shape(row)) cells.push_back(number_text(size));
        cells.insert(cells.end(), {direction_text(one.model.direction), one.unit(), number_cell(row.measured),
                                   fmt::format("{:.6g}", row.expected), row.reason});
        text += csv_line(cells) + "\n";
      }
    }
    if (text.empty()) {
      std::error_code ignored;
      if (is_list(list_path(table))) std::filesystem::remove(list_path(table), ignored);
      return;
    }
    make_folder(repeat_list_);
    write_atomic(list_path(table), text);
  }

  /// Returns the last columns of a list, after those of the sizes.
  static std::vector<std::string> list_columns() {
    return {"direction", "unit", "measured", "expected", "reason"};
  }

  std::string data_, models_, repeat_list_;
  bool json_ = false;
  PageFile page_;
  std::vector<Suspicions> suspicions_;  ///< of each model
};

}  // namespace

std::unique_ptr<Command> train_command() {
  return std::make_unique<Train>();
}

}  // namespace kjoule
