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
      fmt::format("test: each window's time was predicted from the kernels of the others: mean "
                  "error {} %, root mean square {:.2f} %; {} of {} inside their intervals",
                  signed_text(100 * test.mean_error, 2), 100 * test.rms_error, test.inside, test.windows));
}

std::string mean_iteration_text(const LoopMean& mean) {
  return wrapped(
      "  ", fmt::format("mean of {} iterations of the loop: {:.1f} us {} without launch gaps; 80 % of "
                        "them take {:.1f} to {:.1f} us by the profiler",
                        mean.iterations, us(mean.time_s.value), half_width_text(mean.time_s), us(mean.low_s),
                        us(mean.high_s)));
}

/// Returns the name of a kernel; of a copy or memset, also its size.
std::string name_of(const KernelEstimate& kernel) {
  const KernelKey& key = kernel.observed.kernel;
  return key.bytes > 0 ? fmt::format("{} {} B", key.name, key.bytes) : key.name;
}

std::string kernel_line(const KernelEstimate& kernel, const KernelNames& names) {
  const double count = kernel.observed.launches;
  const double percent = 100 * kernel.replayed_s.half_width / kernel.replayed_s.value;
  const std::string width = std::isfinite(percent) ? fmt::format("{:.2f}", percent) : "-";
  return names.row(fmt::format("{:>9.0f}{:>11.2f}{:>11.3f}{:>8}{:>9}  ", count,
                               us(kernel.replayed_s.value / count), ms(kernel.replayed_s.value), width,
                               kernel.windows > 0 ? std::to_string(kernel.windows) : "scaled"),
                   name_of(kernel));
}

std::string kernels_text(const RunEstimate& run) {
  std::string text =
      fmt::format("{:>9}{:>11}{:>11}{:>8}{:>9}  kernel\n", "count", "each us", "all ms", "+- %", "windows");
  const KernelNames names = KernelNames::of_all(run.kernels, name_of);
  for (size_t i = 0; i < std::min(kShownKernels, run.kernels.size()); ++i)
    text += kernel_line(run.kernels[i], names);
  if (run.kernels.size() > kShownKernels)
    text += fmt::format("  and {} more (run_report.json lists them)\n", run.kernels.size() - kShownKernels);
  return text;
}

Json half_width_json(const Interval& time_s) {
  return std::isfinite(time_s.half_width) ? Json(us(time_s.half_width)) : Json();
}

Json kernel_json(const KernelEstimate& kernel) {
  const KernelKey& key = kernel.observed.kernel;
  return {{"name", key.name},
          {"grid", key.grid},
          {"block", key.block},
          {"bytes", key.is_kernel() ? Json() : Json(key.bytes)},
          {"count", kernel.observed.launches},
          {"profiled_us", us(kernel.observed.profiled_s)},
          {"replayed_us", us(kernel.replayed_s.value)},
          {"half_width_us", half_width_json(kernel.replayed_s)},
          {"windows", kernel.windows}};
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

std::string run_estimate_text(const RunEstimate& run) {
  std::string text = wrapped(
      "",
      fmt::format("kernel x count of the run: {:.3f} ms {} for all launches that the profiler saw ({:.3f} "
                  "ms by the profiler), from {} window{}",
                  ms(run.total_s.value), half_width_text(run.total_s), ms(run.profiled_s), run.windows,
                  run.windows == 1 ? "" : "s"));
  if (run.scaled_share > 0)
    text += fmt::format("  {:.1f} % of it are profiler times of kernels in no window, scaled\n",
                        100 * run.scaled_share);
  if (run.mean_iteration) text += mean_iteration_text(*run.mean_iteration);
  if (run.left_out) text += left_out_text(*run.left_out);
  return text + kernels_text(run);
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
  for (const KernelEstimate& kernel : run.kernels) json["kernels"].push_back(kernel_json(kernel));
  return json;
}

}  // namespace kjoule
