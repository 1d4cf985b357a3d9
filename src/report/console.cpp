#include "report/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files/csv.hpp"
#include "base/text/microseconds.hpp"
#include "base/text/printable.hpp"
#include "base/text/signed_text.hpp"
#include "recording/tier_text.hpp"
#include "report/collective_reports.hpp"
#include "report/comparison_energy.hpp"
#include "report/first_screen.hpp"
#include "report/json_reports.hpp"
#include "report/kernel_table.hpp"
#include "report/microseconds.hpp"
#include "report/more_rows.hpp"
#include "report/per_item.hpp"
#include "report/quantities.hpp"
#include "report/range_reports.hpp"
#include "report/rank_energy_reports.hpp"
#include "report/rank_reports.hpp"
#include "report/replay_reports.hpp"
#include "report/shortened.hpp"
#include "report/shown_interval.hpp"
#include "report/stop_text.hpp"
#include "report/watched_reports.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

/// Most bytes of a short name in the tables with few columns, so that a row fits into a line.
constexpr size_t kIsolatedNameLength = 40, kListedNameLength = 48;

std::string line(const std::string& label, const std::optional<double>& seconds,
                 const std::optional<double>& half_width_s, double whole) {
  if (!seconds) return {};
  const std::string width = half_width_s ? fmt::format("+- {:>8.1f}", us(*half_width_s)) : "";
  return fmt::format("  {:<26} {:>12.1f} {:<11}  {:>8} %\n", label, us(*seconds), width,
                     signed_text(100 * (*seconds / whole - 1), 2));
}

std::string line(const std::string& label, const std::optional<Interval>& interval, double whole) {
  return interval ? line(label, interval->value, interval->half_width, whole) : "";
}

/// Returns a clause with the range of the GPU times of the loop's iterations; empty if they are not known.
std::string spread_text(const Comparison& c) {
  if (!c.iteration_spread) return {};
  return fmt::format("; 80 % of the loop's {} iterations take {:.1f} to {:.1f} us of GPU time",
                     c.iteration_spread->iterations, ns_to_us(c.iteration_spread->low_ns),
                     ns_to_us(c.iteration_spread->high_ns));
}

/// Returns a line that states which launches form the iteration; empty if they are not known.
std::string part_line(const Comparison& c) {
  if (!c.part)
    return c.iteration.empty() ? "" : wrapped("  iteration: ", printable(c.iteration) + spread_text(c));
  std::string text = part_text(*c.part);
  if (const auto all_s = c.part_s())
    text +=
        fmt::format("; all iterations together take {:.1f} us (scaled by the profiler's times)", us(*all_s));
  return wrapped("  iteration: ", text);
}

/// Returns the compared times and the further sums, each relative to the whole.
std::string times_text(const Comparison& c) {
  const double whole = c.times.whole_s.value;
  std::string text = wrapped("", printable(c.run.value("title", "compare"))) + part_line(c);
  text += fmt::format("  {:<26} {:>12}    {:>8}  {:>10}\n", "", "us", "95 %", "to whole");
  for (const NamedTime& one : quantities_of(c)) text += line(one.label, one.seconds, one.half_width_s, whole);
  text += "  The sum is compared with the whole. Other times of the same iteration:\n";
  text += line("own iteration, alternating", c.times.own_iteration_s, whole);
  text += line("whole, streams in parallel", c.overlapped_s, whole);
  text += line("sum, kernels in isolation", c.isolated_sum_s, {}, whole);
  // Counts over a whole trace must not be compared with one iteration.
  if (c.replayed && c.replayed->iterations_missing.empty())
    text += line("replayed from signatures", c.replayed->sum_s(), {}, whole);
  return text;
}

std::string verdict_text(const Comparison& c) {
  std::string text = verdict_screen(c) + wrapped("  ", fmt::format("{} rounds were measured{}",
                                                                   c.times.rounds, stop_text(c.stopped.by)));
  for (const std::string& finding : c.findings) text += wrapped("  - ", "finding: " + printable(finding));
  for (const std::string& why : c.residual) text += wrapped("  - ", printable(why));
  if (!c.replayed) return text;
  const std::string source = printable(c.replayed->source) + ": ";
  text += wrapped("  - ", source + replay_shares_text(*c.replayed));
  if (const std::string place = replay_place_text(*c.replayed); !place.empty())
    text += wrapped("  - ", source + place);
  if (!c.replayed->iterations_missing.empty())
    text += wrapped("  - ", source + "the sum of the replayed kernels is not compared with the whole: " +
                                c.replayed->iterations_missing);
  return text;
}

/// Returns the mean time of one item; empty if the number of items is not known.
std::string per_item_text(const nlohmann::json& run, double mean_us) {
  const auto items = items_of(run);
  return items ? fmt::format("  {:>10.4g} us per item ({:g} items)\n", mean_us / *items, *items) : "";
}

}  // namespace

std::string full_text(const nlohmann::json& run, const ProgramIterations& full) {
  const RunStatistics s = run_statistics(full.run_s);
  return wrapped("", printable(run.value("title", "full"))) +
         wrapped("  ", fmt::format("{} iterations after {} warm-up iterations, {} to {}", full.run_s.size(),
                                   full.warmup, full.start_timestamp, full.end_timestamp)) +
         fmt::format("  {:>10} {:>12} {:>10} {:>10} {:>10} {:>10}\n", "mean us", "std error us", "median us",
                     "min us", "max us", "p95 us") +
         fmt::format("  {:>10.1f} {:>12.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f}\n", s.mean_us,
                     s.standard_error_us, s.median_us, s.min_us, s.max_us, s.p95_us) +
         per_item_text(run, s.mean_us);
}

std::string isolated_text(const std::vector<KernelResult>& kernels, size_t top, NameStyle style) {
  const KernelNames names = names_of(kernels, style, kIsolatedNameLength);
  const auto total_s = [](const KernelResult& kernel) {
    return kernel.isolated_s.value_or(0) * static_cast<double>(kernel.count);
  };
  double sum_s = 0;
  for (const KernelResult& kernel : kernels) sum_s += total_s(kernel);
  std::vector<ReportedKernel> rows = kernel_rows(kernels, names);
  std::ranges::stable_sort(rows, std::greater(),
                           [&](const ReportedKernel& row) { return total_s(*row.kernel); });
  rows.resize(std::min(top, rows.size()));
  const ShownColumns columns(kernel_columns(), Place::isolated, rows, kReportWidth);
  std::string text = columns.heads() + "  kernel\n";
  for (const ReportedKernel& row : rows)
    text += names.row(
        columns.cells(row) + "  ", row.kernel->name,
        row.kernel->error.empty() ? after_name(*row.kernel, 60) : shortened(": " + row.kernel->error, 60));
  return text + fmt::format("sum over {} kernels, each in isolation: {:.1f} us\n", kernels.size(), us(sum_s));
}

/// Keeps the `top` rows whose launches take most time, in context or, if that was not measured, in isolation.
/// Kernels without times follow, by their launches.
void keep_largest(std::vector<ReportedKernel>& rows, size_t top) {
  const auto size = [](const ReportedKernel& row) {
    const KernelResult& kernel = *row.kernel;
    const auto count = static_cast<double>(kernel.count);
    const double launch_s = kernel.in_context_s ? kernel.in_context_s->value : kernel.isolated_s.value_or(0);
    return std::pair(launch_s * count, count);
  };
  std::ranges::stable_sort(rows, std::greater(), size);
  if (rows.size() > top) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(top), rows.end());
}

constexpr const char* kTimeOfAKernel =
    "A launch's time in context is measured in the unbroken iteration: from the moment at which a dependent "
    "one-thread kernel could run after the previous launch, to the moment at which one could run after this "
    "launch.";

std::string comparison_text(const Comparison& c, size_t top, NameStyle style) {
  const KernelNames names = names_of(c.kernels, style, kTableNameLength);
  std::string text = times_text(c) + verdict_text(c) + all_kernels(c, top, names);
  if (c.undisturbed_s) text += wrapped("  ", kTimeOfAKernel);
  text += ranges_text(c.ranges, c.times.sum_s.value) + energy_text(c);
  if (c.ranks.empty()) return text;
  if (c.ranks.size() > kMostListedRanks) text += ranks_text(c.ranks) + rank_energies_text(c.ranks);
  return text + collectives_text(c) + (c.watched ? watched_details(*c.watched) : "");
}

std::string kernels_text(const std::vector<KernelResult>& kernels, size_t launches, NameStyle style,
                         std::optional<size_t> top) {
  const KernelNames names = names_of(kernels, style, kListedNameLength);
  std::vector<ReportedKernel> rows = kernel_rows(kernels, names);
  if (top) keep_largest(rows, *top);
  const ShownColumns columns(kernel_columns(), Place::listed, rows, kReportWidth);
  std::string text = fmt::format("{} launches in an iteration, {} kernels\n{}  kernel\n", launches,
                                 kernels.size(), columns.heads());
  for (const ReportedKernel& row : rows)
    text += names.row(columns.cells(row) + "  ", row.kernel->name, after_name(*row.kernel, 90));
  return text + more_rows_line(kernels.size() - rows.size());
}

std::string kernels_csv(const std::vector<KernelResult>& kernels, const Comparison* of) {
  return csv_text(kernel_columns(), kernel_rows(kernels, names_of(kernels), of));
}

std::string full_csv(const ProgramIterations& full) {
  const RunStatistics s = run_statistics(full.run_s);
  std::vector<std::string> cells;
  for (const double value : {s.mean_us, s.min_us, s.max_us, s.median_us, s.p95_us, s.standard_error_us})
    cells.push_back(number_cell(value));
  for (const size_t count : {full.run_s.size(), static_cast<size_t>(full.warmup)})
    cells.push_back(std::to_string(count));
  cells.push_back(full.start_timestamp);
  cells.push_back(full.end_timestamp);
  return csv_line({"full_model_inference_us", "min_time_us", "max_time_us", "median_time_us", "p95_time_us",
                   "standard_error_us", "num_runs", "warmup_runs", "start_timestamp", "end_timestamp"}) +
         "\n" + csv_line(cells) + "\n";
}

nlohmann::ordered_json kernels_json(const std::vector<KernelResult>& kernels) {
  const KernelNames names = names_of(kernels);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ReportedKernel& row : kernel_rows(kernels, names)) {
    nlohmann::ordered_json& kernel = list.emplace_back(nlohmann::ordered_json::object());
    const nlohmann::ordered_json fields = json_object(kernel_columns(), row);
    for (const auto& [key, value] : fields.items())
      if (!value.is_null()) kernel[key] = value;
  }
  return list;
}

std::string kernels_jsonl(const std::vector<KernelResult>& kernels) {
  std::string text;
  for (const auto& kernel : kernels_json(kernels)) text += kernel.dump() + "\n";
  return text;
}

}  // namespace kjoule
