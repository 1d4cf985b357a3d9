#include "report/imported_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "importers/imported_file.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using ImportedColumn = TableColumn<ImportedLine>;
using ImportedRow = const ImportedLine&;

constexpr const char* kIterationsUnknown = "unknown";

/// Returns a function that takes the field `key`. Its result is null if there is none.
auto field(const char* key) {
  return [key](ImportedRow row) {
    const auto found = row.fields.find(key);
    return found == row.fields.end() ? Json() : *found;
  };
}

ImportedColumn field_column(const char* key, const char* meaning, const char* unit = "",
                            Places places = kFiles) {
  return ImportedColumn::in_files(key, meaning, unit, places, field(key));
}

ImportedColumn microseconds(const char* head, const char* key, const char* meaning, size_t least_width) {
  return ImportedColumn::number(head, key, meaning, "us", kScreenAndFiles, field(key), 3, least_width);
}

ImportedColumn shown_tier_column() {
  const auto tier = field("tier");
  return ImportedColumn::on_screen(
      "tier", kTierMeaning, Place::first_screen, [tier](ImportedRow row) { return csv_cell(tier(row)); }, 7);
}

ImportedColumn gpu_column() {
  const auto gpu = field("gpu");
  return {"GPU",
          "gpu",
          "number of the GPU that ran the kernels, if it is known; on the screen, all for all GPUs together",
          "",
          kScreenAndFiles,
          [gpu](ImportedRow row) -> std::string {
            if (row.is_of_all_gpus) return "all";
            return row.has_several_gpus ? csv_cell(gpu(row)) : "";
          },
          gpu};
}

/// Returns the columns of a grid or block: a list in JSON, "1x2x3" in CSV.
std::vector<ImportedColumn> extent_columns(const char* key, const char* meaning,
                                           std::optional<Extent> ImportedKernel::*extent) {
  return {field_column(key, meaning, "", Place::json),
          ImportedColumn::in_files(key, meaning, "", Place::csv, [extent](ImportedRow row) {
            const auto& sizes = row.line.kernels.front()->*extent;
            return sizes ? Json(extent_text(*sizes)) : Json();
          })};
}

std::vector<ImportedColumn> identity_columns_of_imported() {
  return {field_column("name", "name of the kernel"),
          field_column("kind", "kernel, memcpy or memset"),
          gpu_column(),
          field_column("tier", kTierMeaning),
          field_column("family", "family of kernels, by the rules for names"),
          field_column("category", "what the kernel does, such as gemm or softmax, by the rules for names"),
          field_column("dtype",
                       "type of its numbers: as the source states it with the sizes of a matrix product, "
                       "otherwise by the rules for names")};
}

std::vector<ImportedColumn> imported_launch_columns() {
  return joined(
      {extent_columns("grid", "numbers of blocks: x, y and z", &ImportedKernel::grid),
       extent_columns("block", "numbers of threads in a block: x, y and z", &ImportedKernel::block),
       {field_column("shared_bytes", "shared memory of a block, static and dynamic", "bytes"),
        field_column("bytes", "size of a copy or memset", "bytes"),
        field_column("operator", "operator that launched the kernels"),
        field_column("input_dims", "shapes of the operator's inputs"),
        field_column("input_strides", "strides of the operator's inputs"),
        field_column("input_types", "types of the operator's inputs"),
        field_column("concrete_inputs", "values of the operator's inputs that are no tensors"),
        field_column("arguments",
                     "arguments of the operator as in recording.jsonl, without `value`, `storage` and "
                     "`offset`; only for recordings"),
        field_column("signature", "signature of the kernel, if the source states it"),
        field_column("M", "rows of a matrix product, if the source states them", "rows"),
        field_column("N", "columns of a matrix product, if the source states them", "columns"),
        field_column("K", "length of the sums of a matrix product, if the source states it", "terms"),
        field_column("batch", "number of matrix products, if the source states it", "products"),
        field_column("fewest", "smallest number of launches in one iteration", "launches"),
        field_column("most", "largest number of launches in one iteration", "launches")}});
}

/// Returns the columns of counts. `steady` is 1 or 0 in CSV, and unknown `iterations` are a word there.
std::vector<ImportedColumn> imported_count_columns() {
  const char* iterations = "number of iterations of which the counts are the mean";
  const char* steady = "whether each iteration has the same number of launches";
  return {{"count", "count", "launches in one iteration; a fraction if iterations differ", "launches",
           kScreenAndFiles,
           [](ImportedRow row) {
             return count_cell(*row.table, row.line.launches) + (differs_between_iterations(row) ? "*" : "");
           },
           field("count")},
          field_column("invocation_count",
                       "launches in one iteration, or in the whole table if its number of iterations is "
                       "unknown",
                       "launches"),
          field_column("iterations", iterations, "iterations", Place::json),
          ImportedColumn::in_files("iterations", iterations, "iterations", Place::csv,
                                   [](ImportedRow row) {
                                     const ImportedIterations& of = row.table->iterations;
                                     return of.known() ? Json(of.number) : Json(kIterationsUnknown);
                                   }),
          field_column("steady", steady, "", Place::json),
          ImportedColumn::in_files("steady", steady, "", Place::csv,
                                   [](ImportedRow row) {
                                     return row.table->iterations.known() ? Json(row.line.steady ? 1 : 0)
                                                                          : Json();
                                   }),
          {"launches", "launches",
           "launches in all counted iterations, or in the whole table if their number is unknown", "launches",
           kScreenAndFiles,
           [](ImportedRow row) {
             return row.table->iterations.known() ? std::string() : std::to_string(row.line.launches);
           },
           field("launches")}};
}

std::vector<ImportedColumn> time_columns_of_imported() {
  return {microseconds("mean us", "mean_us", "mean time of one launch", 9),
          microseconds("min us", "min_us", "shortest time of one launch", 9),
          microseconds("max us", "max_us", "longest time of one launch", 9),
          microseconds("total us", "total_us", "time of all launches in the trace or table", 10)};
}

ImportedColumn short_name_column() {
  return ImportedColumn::in_files(
      "short_name", "short name of the kernel, at most 60 bytes; different from those of the other kernels",
      "", kFiles, [](ImportedRow row) { return row.names->short_name(row.line.kernels.front()->name); });
}

/// Returns the columns of what the kernels of a group have in common.
std::vector<ImportedColumn> imported_group_columns(GroupBy by) {
  const auto meaning = [by] {
    switch (by) {
      case GroupBy::name:
        return "name of the kernels in the line (--by name)";
      case GroupBy::operator_call:
        return "operator that launched the kernels (--by operator)";
      case GroupBy::category:
        return "what the kernels do (--by category)";
      default:
        return "origin of the kernels (--by tier)";
    }
  };
  const std::string word = group_by_text(by);
  return {{word, word, meaning(), "", kScreenAndFiles, {}, [](ImportedRow row) { return row.line.label; }},
          gpu_column()};
}

ImportedColumn kernels_column() {
  return ImportedColumn::number(
      "kernels", "unique_kernels", "number of kernels in the line (--by)", "kernels", kScreenAndFiles,
      [](ImportedRow row) { return row.line.unique_kernels; }, 0);
}

/// Returns the launches and times of the line as one kernel; if the line is of one kernel, with the
/// properties of this kernel. The fewest and most launches of all GPUs in one iteration are not known.
ImportedKernel sum_of(const TableLine& line, GroupBy by) {
  if (by == GroupBy::signature && line.kernels.size() == 1) return *line.kernels.front();
  ImportedKernel sum;
  if (by == GroupBy::signature) sum = *line.kernels.front();
  sum.fewest.reset();
  sum.most.reset();
  sum.launches = line.launches;
  sum.times = line.times;
  sum.gpu = line.gpu;
  return sum;
}

std::vector<ImportedLine> rows_of(const ImportedTable& table, GroupBy by, const KernelNames& names,
                                  std::vector<TableLine> lines) {
  const bool has_several_gpus = table.gpus().size() > 1;
  std::vector<ImportedLine> rows;
  for (TableLine& line : lines) {
    Json fields = kernel_to_json(table, sum_of(line, by));
    if (table.iterations.known()) fields["steady"] = line.steady;
    rows.push_back({&table, &names, std::move(line), std::move(fields), has_several_gpus});
  }
  return rows;
}

}  // namespace

std::vector<ImportedLine> imported_lines(const ImportedTable& table, GroupBy by, const KernelNames& names) {
  return rows_of(table, by, names, table_lines(table, by));
}

std::vector<ImportedLine> lines_of_all_gpus(const ImportedTable& table, GroupBy by,
                                            const KernelNames& names) {
  if (table.gpus().size() < 2) return {};
  std::vector<ImportedLine> rows = rows_of(table, by, names, joint_table_lines(table, by));
  for (ImportedLine& row : rows) {
    row.is_of_all_gpus = true;
    row.fields.erase("gpu");
  }
  return rows;
}

std::vector<ImportedLine> joint_imported_lines(const ImportedTable& table, GroupBy by,
                                               const KernelNames& names) {
  std::vector<ImportedLine> rows = imported_lines(table, by, names);
  std::vector<ImportedLine> joint = lines_of_all_gpus(table, by, names);
  if (joint.empty()) return rows;
  std::map<std::string, std::vector<ImportedLine>> of_label;
  for (ImportedLine& row : rows) of_label[row.line.label].push_back(std::move(row));
  rows.clear();
  for (ImportedLine& all : joint) {
    std::vector<ImportedLine>& each = of_label[all.line.label];
    std::ranges::stable_sort(each, {}, [](const ImportedLine& row) { return row.line.gpu; });
    if (each.size() > 1) rows.push_back(std::move(all));
    std::ranges::move(each, std::back_inserter(rows));
  }
  return rows;
}

std::vector<ImportedColumn> imported_columns(GroupBy by) {
  if (by == GroupBy::signature)
    return joined(
        {identity_columns_of_imported(),
         imported_launch_columns(),
         imported_count_columns(),
         {shown_tier_column()},
         time_columns_of_imported(),
         {short_name_column(),
          ImportedColumn::on_screen(
              "kernel", "short name of the kernel, grid, block, bytes, operator and shapes of its inputs",
              Place::first_screen, {})}});
  std::vector<ImportedColumn> columns = joined(
      {imported_group_columns(by), imported_count_columns(), {kernels_column()}, time_columns_of_imported()});
  if (by == GroupBy::name) columns.push_back(short_name_column());
  return columns;
}

TableColumns imported_columns() {
  std::vector<ImportedColumn> all;
  for (const GroupBy by : {GroupBy::signature, GroupBy::name, GroupBy::operator_call, GroupBy::category})
    all = joined({all, imported_columns(by)});
  return {"the kernels of a trace or kernel table", explained(all, Place::first_screen)};
}

std::string count_cell(const ImportedTable& table, uint64_t launches) {
  if (!table.iterations.known()) return {};
  if (launches % table.iterations.number == 0) return std::to_string(launches / table.iterations.number);
  return fmt::format("{:.6g}", static_cast<double>(launches) / static_cast<double>(table.iterations.number));
}

bool differs_between_iterations(const ImportedLine& row) {
  return row.table->iterations.known() && !row.line.steady;
}

}  // namespace kjoule
