#include "report/run_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "recording/tier_text.hpp"
#include "report/run_names.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using ObservedKernelColumn = TableColumn<ObservedKernelRow>;
using RunKindColumn = TableColumn<RunKindRow>;

double in_ms(int64_t ns) {
  return static_cast<double>(ns) * 1e-6;
}

/// Returns a share in %; 0 if the whole is 0.
double run_percent(int64_t part, int64_t all) {
  return all > 0 ? 100 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

ObservedKernelColumn kernel_number(const char* head, const char* key, const char* meaning, const char* unit,
                                   double (*value)(const ObservedKernelRow&), int decimals,
                                   size_t least_width) {
  return ObservedKernelColumn::number(
      head, key, meaning, unit, kScreenAndFiles,
      [value](const ObservedKernelRow& row) { return Json(value(row)); }, decimals, least_width);
}

ObservedKernelColumn kernel_field(const char* key, const char* meaning, const char* unit,
                                  Json (*value)(const ObservedKernelRow&), Places places = kFiles) {
  return ObservedKernelColumn::in_files(key, meaning, unit, places, value);
}

/// Returns the columns of a grid or block: a list in JSON, "1x2x3" in CSV.
std::vector<ObservedKernelColumn> size_columns(const char* key, const char* meaning, const char* unit,
                                               std::vector<uint32_t> LoggedName::*sizes) {
  const auto list = [sizes](const ObservedKernelRow& row) {
    const auto& of = row.name->*sizes;
    return of.empty() ? Json() : Json(of);
  };
  const auto text = [sizes](const ObservedKernelRow& row) {
    return text_json(fmt::format("{}", fmt::join(row.name->*sizes, "x")));
  };
  return {ObservedKernelColumn::in_files(key, meaning, unit, Place::json, list),
          ObservedKernelColumn::in_files(key, meaning, unit, Place::csv, text)};
}

std::vector<ObservedKernelColumn> observed_name_columns() {
  return {kernel_field("name", "demangled name of the kernel, or direction of the copy", "",
                       [](const ObservedKernelRow& row) { return Json(row.name->name); }),
          kernel_field(
              "short_name",
              "short name of the kernel, at most 60 bytes; different from those of the other kernels "
              "in this report",
              "", [](const ObservedKernelRow& row) { return Json(row.names->short_name(row.name->name)); })};
}

/// Returns the columns of the rank in files, which are empty for a program of one process.
std::vector<ObservedKernelColumn> rank_columns_in_files() {
  return {
      kernel_field(
          "rank",
          "rank that ran the operations; null for all ranks together, for a program of one "
          "process, and if the launcher does not state ranks",
          "number of the rank",
          [](const ObservedKernelRow& row) { return row.rank.rank ? Json(*row.rank.rank) : Json(); }),
      kernel_field(
          "process", "id of the rank's process; null for all ranks together and for a program of one process",
          "process id",
          [](const ObservedKernelRow& row) { return row.rank.process ? Json(*row.rank.process) : Json(); })};
}

ObservedKernelColumn rank_column_on_screen() {
  return ObservedKernelColumn::on_screen(
      "rank",
      "rank that ran the operations, or process id if the launcher states no rank; all: all ranks together",
      Place::first_screen, [](const ObservedKernelRow& row) { return row.rank.shown; });
}

std::vector<ObservedKernelColumn> duration_columns_of_run() {
  return {
      ObservedKernelColumn::number(
          "count", "count", "number of operations in the run", "operations", kScreenAndFiles,
          [](const ObservedKernelRow& row) { return Json(row.kernel->count); }, 0, 9),
      kernel_number(
          "mean us", "mean_us", "mean duration of one operation", "us",
          [](const ObservedKernelRow& row) {
            return 1e-3 * static_cast<double>(row.kernel->total_ns) / static_cast<double>(row.kernel->count);
          },
          3, 11),
      kernel_number(
          "total ms", "total_ms", "sum of the durations of all these operations", "ms",
          [](const ObservedKernelRow& row) { return in_ms(row.kernel->total_ns); }, 3, 11),
      kernel_number(
          "share %", "share_percent",
          "share of the sum of all operations' durations of the run, or of the rank", "%",
          [](const ObservedKernelRow& row) { return run_percent(row.kernel->total_ns, row.work_ns); }, 2, 8),
      {"tier", "tier", kTierMeaning, "", kScreenAndFiles,
       [](const ObservedKernelRow& row) { return tier_text(row.tier); },
       [](const ObservedKernelRow& row) { return Json(tier_json(row.tier)); }, 8}};
}

std::vector<ObservedKernelColumn> observed_detail_columns() {
  return {
      kernel_field("shared_bytes", "dynamic shared memory per block", "B",
                   [](const ObservedKernelRow& row) { return Json(row.name->shared_bytes); }),
      kernel_field("least_us", "shortest duration of one operation", "us",
                   [](const ObservedKernelRow& row) { return Json(1e3 * in_ms(row.kernel->least_ns)); }),
      kernel_field("most_us", "longest duration of one operation", "us",
                   [](const ObservedKernelRow& row) { return Json(1e3 * in_ms(row.kernel->most_ns)); }),
      kernel_field("bytes", "number of bytes of all these copies or memsets, added up; null for kernels", "B",
                   [](const ObservedKernelRow& row) {
                     return row.kernel->kind == OperationKind::kernel ? Json() : Json(row.kernel->bytes);
                   }),
      ObservedKernelColumn::on_screen("kernel",
                                      "short name of the kernel, with grid, block and bytes of shared memory",
                                      Place::first_screen, {})};
}

RunKindColumn kind_field(const char* key, const char* meaning, const char* unit,
                         Json (*value)(const RunKindRow&)) {
  return RunKindColumn::in_files(key, meaning, unit, Place::json, value);
}

std::vector<RunKindColumn> kind_time_columns() {
  constexpr Places kShown = Place::first_screen | Place::json;
  return {RunKindColumn::number(
              "share %", "share_percent", "share of the time in which the GPU is busy during the run", "%",
              kShown,
              [](const RunKindRow& row) {
                return Json(run_percent(row.kind->times.busy_ns, row.of->times.busy_ns));
              },
              2, 10),
          RunKindColumn::number(
              "GPU ms", "busy_ms", "time in which the GPU is busy with the parts of this kind", "ms", kShown,
              [](const RunKindRow& row) { return Json(in_ms(row.kind->times.busy_ns)); }, 3, 11),
          RunKindColumn::number(
              "host ms", "host_ms",
              "time on the host from a part's first launch to the first launch after the part, added up over "
              "the parts of this kind",
              "ms", kShown, [](const RunKindRow& row) { return Json(in_ms(row.kind->host_ns)); }, 3, 11),
          RunKindColumn::number(
              "runs", "runs", "number of parts of this kind", "parts", kShown,
              [](const RunKindRow& row) { return Json(row.kind->runs); }, 0, 7),
          RunKindColumn::on_screen("part", "loop or single pass, with its number of launches",
                                   Place::first_screen, {})};
}

std::vector<RunKindColumn> kind_launch_columns() {
  return {
      kind_field("kind", "number of the kind; parts of one kind are loops over equal bodies",
                 "number of the kind", [](const RunKindRow& row) { return Json(row.kind->kind); }),
      kind_field("first_launch", "first launch of the first part of this kind",
                 "number of the launch, from 0", [](const RunKindRow& row) { return Json(row.kind->first); }),
      kind_field("launches", "number of launches of all parts of this kind", "launches",
                 [](const RunKindRow& row) { return Json(row.kind->launches); }),
      kind_field(
          "launches_per_iteration",
          "number of launches in one iteration of the first part; null for a single pass", "launches",
          [](const RunKindRow& row) { return row.kind->period == 0 ? Json() : Json(row.kind->period); }),
      kind_field("iterations", "number of complete iterations of all parts of this kind", "iterations",
                 [](const RunKindRow& row) { return Json(row.kind->iterations); }),
      kind_field("even", "whether all iterations of each part have the same number of launches", "",
                 [](const RunKindRow& row) { return Json(row.kind->even); })};
}

}  // namespace

const std::vector<TableColumn<ObservedKernelRow>>& observed_kernel_columns() {
  static const std::vector<ObservedKernelColumn> columns = joined(
      {observed_name_columns(),
       {rank_column_on_screen()},
       duration_columns_of_run(),
       size_columns("grid", "number of blocks in each dimension of the grid; null for copies and memsets",
                    "blocks", &LoggedName::grid),
       size_columns("block", "number of threads in each dimension of a block; null for copies and memsets",
                    "threads", &LoggedName::block),
       observed_detail_columns(),
       rank_columns_in_files()});
  return columns;
}

std::vector<ObservedKernelRow> observed_kernel_rows(const ShownRun& run, KernelRules& rules,
                                                    const KernelNames& names) {
  std::vector<ObservedKernelRow> rows;
  for (const RunKernel& kernel : run.summary.kernels)
    rows.push_back({&name_of(run, kernel), &kernel, &names, run.summary.times.work_ns,
                    tier_of(name_of(run, kernel).name, kernel.kind, rules)});
  return rows;
}

const std::vector<TableColumn<RunKindRow>>& run_kind_columns() {
  static const std::vector<RunKindColumn> columns = joined({kind_time_columns(), kind_launch_columns()});
  return columns;
}

}  // namespace kjoule
