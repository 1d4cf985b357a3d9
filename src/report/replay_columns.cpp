#include "report/replay_columns.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json/optional_json.hpp"
#include "recording/tier_text.hpp"
#include "report/microseconds.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using ReplayColumn = TableColumn<ReplayedRow>;
using ReplayRow = const ReplayedRow&;

ReplayColumn in_files(const char* key, const char* meaning, const char* unit,
                      std::function<Json(ReplayRow)> value) {
  return ReplayColumn::in_files(key, meaning, unit, kFiles, std::move(value));
}

/// Returns a column of a text, which has no value if the text is empty.
ReplayColumn text_in_files(const char* key, const char* meaning, std::string ReplayedKernel::*text) {
  return in_files(key, meaning, "", [text](ReplayRow row) { return text_json(row.kernel->*text); });
}

/// Returns the number of launches; a whole one without decimals, so that fractions stand out.
Json launches_json(ReplayRow row) {
  const double count = row.kernel->count;
  return count == std::floor(count) ? Json(static_cast<uint64_t>(count)) : Json(count);
}

std::optional<double> replayed_total_s(ReplayRow row) {
  const auto& each_s = row.kernel->each_s;
  return each_s ? std::optional(row.kernel->count * *each_s) : std::nullopt;
}

std::vector<ReplayColumn> replay_name_columns() {
  return {
      in_files("name", "name of the kernel", "", [](ReplayRow row) { return row.kernel->kernel.name; }),
      in_files("short_name",
               "short name of the kernel, at most 60 bytes; different from those of the other kernels in "
               "this report",
               "", [](ReplayRow row) { return row.names->short_name(row.kernel->kernel.name); }),
      in_files("category", "category of the kernel by the rules for names; \"unknown\" if no rule matches",
               "", [](ReplayRow row) { return row.kernel->kernel.category; })};
}

std::vector<ReplayColumn> replay_number_columns() {
  return {ReplayColumn::number(
              "each us", "single_time_us",
              "mean time of one replayed launch that is repeated back to back, if the kernel was replayed",
              "us", kScreenAndFiles, [](ReplayRow row) { return optional_us(row.kernel->each_s); }, 2, 11),
          ReplayColumn::number(
              "recorded us", "recorded_time_us",
              "mean time of one launch in the trace or table, if it states times", "us", kScreenAndFiles,
              [](ReplayRow row) { return optional_us(row.kernel->recorded_s()); }, 2, 12),
          {"count", "invocation_count",
           "launches in one iteration (a fraction if iterations differ), or in the whole table if its number "
           "of iterations is unknown",
           "launches", kScreenAndFiles,
           [](ReplayRow row) { return fmt::format("{:.6g}", row.kernel->count); }, launches_json, 8},
          in_files("iterations",
                   "number of the table's iterations, of which invocation_count is the mean, if it is known",
                   "iterations", [](ReplayRow row) -> Json { return or_null(row.table->iterations); }),
          ReplayColumn::number(
              "total us", "total_time_us", "time of all launches, if the kernel was replayed", "us",
              kScreenAndFiles, [](ReplayRow row) { return optional_us(replayed_total_s(row)); }, 1, 12),
          {"tier", "tier", kTierMeaning, "", kScreenAndFiles,
           [](ReplayRow row) { return tier_text(row.kernel->kernel.tier); },
           [](ReplayRow row) -> Json { return tier_json(row.kernel->kernel.tier); }, 8}};
}

std::vector<ReplayColumn> replay_result_columns() {
  return {
      {"replayed",
       "replayed",
       "kernel that the replay launched: the same one, one of the same family, a different one, those of a "
       "call (kernel not stated), or none (not replayable)",
       "",
       kScreenAndFiles,
       {},
       [](ReplayRow row) { return to_string(row.kernel->result); }},
      text_in_files("replayed_on", "device of the replay, cpu or cuda, if the kernel was replayed",
                    &ReplayedKernel::replayed_on),
      text_in_files("call",
                    "call by which the kernel was replayed, such as aten::addmm, memcpy HtoD or cuBLAS "
                    "5x3072x1024 float16",
                    &ReplayedKernel::call),
      in_files("inferred",
               "true if operator and sizes were inferred from the kernel's name, grid and block, because the "
               "table states none; otherwise absent",
               "", [](ReplayRow row) { return row.kernel->is_inferred ? Json(true) : Json(); }),
      text_in_files("ran",
                    "name of the kernel that the replay launched; if a call without a stated kernel launched "
                    "several kernels, their names joined by +",
                    &ReplayedKernel::ran),
      in_files("benchmark_runs", "number of launches in the timed block, if the kernel was replayed",
               "launches",
               [](ReplayRow row) { return row.kernel->each_s ? Json(row.kernel->runs) : Json(); }),
      text_in_files("start_timestamp",
                    "local time at which the block began; absent if the call launched several kernels",
                    &ReplayedKernel::start_timestamp),
      text_in_files("end_timestamp", "local time at which the block ended", &ReplayedKernel::end_timestamp),
      in_files("signature", "signature of the kernel in the trace or table", "",
               [](ReplayRow row) { return signature_of(row.kernel->kernel); }),
      text_in_files("error", "reason why the kernel was not replayed, or not by the same kernel",
                    &ReplayedKernel::why),
      ReplayColumn::on_screen("kernel",
                              "short name of the kernel, the operator or matrix product that was called for "
                              "it, and the reason if it was not replayed, or not by the same kernel",
                              Place::first_screen, {})};
}

}  // namespace

const std::vector<ReplayColumn>& replayed_columns() {
  static const std::vector<ReplayColumn> columns =
      joined({replay_name_columns(), replay_number_columns(), replay_result_columns()});
  return columns;
}

TableColumns replay_columns() {
  return {"the table of a trace or kernel table (--kernels)",
          explained(replayed_columns(), Place::first_screen)};
}

std::vector<ReplayedRow> replayed_rows(const ReplayedTable& table, const KernelNames& names) {
  std::vector<ReplayedRow> rows;
  for (const ReplayedKernel& kernel : table.kernels) rows.push_back({&table, &kernel, &names});
  return rows;
}

}  // namespace kjoule
