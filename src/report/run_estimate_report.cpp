#include "report/run_estimate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/signed_text.hpp"
#include "report/kernel_names.hpp"
#include "report/microseconds.hpp"
#include "report/wrapped.hpp"

namespace kjoule {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShownKernels = 5;

double ms(double seconds) {
  return 1e3 * seconds;
}

/// Returns "+- 0.52 %", or "interval not known".
std::string half_width_text(const Interval& time_s) {
  if (!std::isfinite(time_s.half_width)) return "interval not known";
  return fmt::format("+- {:.2f} %", 100 * time_s.half_width / time_s.value);
}

std::string left_out_text(const LeftOutWindows& test) {
  return wrapped(
      "  ",
      fmt::format("test: each window's time was predicted from the kernels of the other windows: mean error "
                  "{} %, root mean square {:.2f} %; {} of {} intervals contain the window's time",
                  signed_text(100 * test.mean_error, 2), 100 * test.rms_error, test.inside, test.windows));
}

std::string mean_iteration_text(const LoopMean& mean) {
  return wrapped("  ", fmt::format("mean of {} iterations of the loop: {:.1f} us {} without launch gaps; 80 "
                                   "% of the iterations take {:.1f} to {:.1f} us by the profiler",
                                   mean.iterations, us(mean.time_s.value), half_width_text(mean.time_s),
                                   us(mean.low_s), us(mean.high_s)));
}

Json half_width_json(const Interval& time_s) {
  return std::isfinite(time_s.half_width) ? Json(us(time_s.half_width)) : Json();
}

using RunKernelColumn = TableColumn<RunKernelRow>;

double share_of_run(const RunKernelRow& row) {
  return row.kernel->replayed_s.value / row.run->total_s.value;
}

std::vector<RunKernelColumn> key_columns() {
  const auto in_json = [](const char* key, const char* meaning, const char* unit, auto value) {
    return RunKernelColumn::in_files(key, meaning, unit, Place::json, value);
  };
  return {
      in_json("name", "name of the kernel, or kind of copy", "",
              [](const RunKernelRow& row) { return Json(row.kernel->observed.kernel.name); }),
      in_json("grid", "blocks; empty for copies", "blocks",
              [](const RunKernelRow& row) { return Json(row.kernel->observed.kernel.grid); }),
      in_json("block", "threads per block; empty for copies", "threads",
              [](const RunKernelRow& row) { return Json(row.kernel->observed.kernel.block); }),
      {"MB", "bytes", "size of a copy or memset; null for kernels", "B", Place::first_screen | Place::json,
       [](const RunKernelRow& row) {
         const uint64_t bytes = row.kernel->observed.kernel.bytes;
         return bytes > 0 ? fmt::format("{:.3g}", 1e-6 * static_cast<double>(bytes)) : std::string();
       },
       [](const RunKernelRow& row) {
         const KernelKey& key = row.kernel->observed.kernel;
         return key.is_kernel() ? Json() : Json(key.bytes);
       }}};
}

std::vector<RunKernelColumn> time_columns_of_run() {
  constexpr Places kBoth = Place::first_screen | Place::json;
  return {
      {"count", "count", "launches that the profiler saw", "launches", kBoth,
       [](const RunKernelRow& row) { return fmt::format("{:.0f}", row.kernel->observed.launches); },
       [](const RunKernelRow& row) { return Json(row.kernel->observed.launches); }},
      {"each us",
       "",
       "mean time of one launch in context",
       "",
       Place::first_screen,
       [](const RunKernelRow& row) {
         return fmt::format("{:.2f}", us(row.kernel->replayed_s.value / row.kernel->observed.launches));
       },
       {}},
      {"",
       "profiled_us",
       "time of all launches by the profiler",
       "us",
       Place::json,
       {},
       [](const RunKernelRow& row) { return Json(us(row.kernel->observed.profiled_s)); }},
      {"all ms", "replayed_us", "time of all launches in context", "us", kBoth,
       [](const RunKernelRow& row) { return fmt::format("{:.3f}", ms(row.kernel->replayed_s.value)); },
       [](const RunKernelRow& row) { return Json(us(row.kernel->replayed_s.value)); }},
      {"+- %", "half_width_us", "half-width of the 95 % interval of the time of all launches", "us", kBoth,
       [](const RunKernelRow& row) {
         const double percent = 100 * row.kernel->replayed_s.half_width / row.kernel->replayed_s.value;
         return std::isfinite(percent) ? fmt::format("{:.2f}", percent) : std::string();
       },
       [](const RunKernelRow& row) { return half_width_json(row.kernel->replayed_s); }},
      {"% of run", "share_of_run_percent", "share of the estimated time of the run", "%", kBoth,
       [](const RunKernelRow& row) { return fmt::format("{:.1f}", 100 * share_of_run(row)); },
       [](const RunKernelRow& row) { return Json(100 * share_of_run(row)); }},
      {"windows", "windows",
       "windows that contain the kernel; 0 (scaled): its time by the profiler was scaled", "windows", kBoth,
       [](const RunKernelRow& row) {
         return row.kernel->windows > 0 ? std::to_string(row.kernel->windows) : std::string("scaled");
       },
       [](const RunKernelRow& row) { return Json(row.kernel->windows); }}};
}

}  // namespace

const std::vector<RunKernelColumn>& run_kernel_columns() {
  static const std::vector<RunKernelColumn> columns = joined({key_columns(), time_columns_of_run()});
  return columns;
}

std::string name_with_size(const KernelEstimate& kernel) {
  const KernelKey& key = kernel.observed.kernel;
  return key.bytes > 0 ? fmt::format("{} {} B", key.name, key.bytes) : key.name;
}

namespace {

std::string kernels_text(const RunEstimate& run) {
  const KernelNames names = KernelNames::of_all(run.kernels, name_with_size);
  std::vector<RunKernelRow> rows;
  for (size_t i = 0; i < std::min(kShownKernels, run.kernels.size()); ++i)
    rows.push_back({&run.kernels[i], &run});
  const ShownColumns columns(run_kernel_columns(), Place::first_screen, rows, kReportWidth);
  std::string text = columns.heads() + "  kernel\n";
  for (const RunKernelRow& row : rows)
    text += names.row(columns.cells(row) + "  ", name_with_size(*row.kernel));
  if (run.kernels.size() > kShownKernels)
    text += fmt::format("  and {} more (run_report.json lists them)\n", run.kernels.size() - kShownKernels);
  return text;
}

Json mean_iteration_json(const std::optional<LoopMean>& mean) {
  if (!mean) return {};
  return {{"iterations", mean->iterations},
          {"replayed_us", us(mean->time_s.value)},
          {"half_width_us", half_width_json(mean->time_s)},
          {"low_profiled_us", us(mean->low_s)},
          {"high_profiled_us", us(mean->high_s)}};
}

Json left_out_json(const std::optional<LeftOutWindows>& test) {
  if (!test) return {};
  return {{"windows", test->windows},
          {"inside", test->inside},
          {"mean_error_percent", 100 * test->mean_error},
          {"rms_error_percent", 100 * test->rms_error}};
}

}  // namespace

std::string run_estimate_head(const RunEstimate& run) {
  std::string text =
      wrapped("", fmt::format("kernel x count of the run: {:.3f} ms {} for all launches in the profiler's "
                              "log ({:.3f} ms by the profiler), from {} window{}",
                              ms(run.total_s.value), half_width_text(run.total_s), ms(run.profiled_s),
                              run.windows, run.windows == 1 ? "" : "s"));
  if (run.scaled_share > 0)
    text += fmt::format("  {:.1f} % of this time is scaled from the profiler, for kernels in no window\n",
                        100 * run.scaled_share);
  if (run.mean_iteration) text += mean_iteration_text(*run.mean_iteration);
  if (run.left_out) text += left_out_text(*run.left_out);
  return text;
}

std::string run_estimate_text(const RunEstimate& run) {
  return run_estimate_head(run) + kernels_text(run);
}

TableColumns run_estimate_columns() {
  std::vector<Column> columns = explained(run_kernel_columns(), Place::first_screen);
  columns.push_back({"kernel", "short name of the kernel, or kind and size of the copy"});
  return {"the kernels of the estimate of a run", std::move(columns)};
}

nlohmann::ordered_json run_estimate_json(const RunEstimate& run) {
  Json json{{"windows", run.windows},
            {"replayed_us", us(run.total_s.value)},
            {"half_width_us", half_width_json(run.total_s)},
            {"profiled_us", us(run.profiled_s)},
            {"scaled_percent", 100 * run.scaled_share},
            {"mean_iteration", mean_iteration_json(run.mean_iteration)},
            {"left_out", left_out_json(run.left_out)}};
  json["kernels"] = Json::array();
  for (const KernelEstimate& kernel : run.kernels)
    json["kernels"].push_back(json_object(run_kernel_columns(), {&kernel, &run}));
  return json;
}

}  // namespace kjoule
