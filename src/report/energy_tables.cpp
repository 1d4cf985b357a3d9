#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/text/printable.hpp"
#include "base/text/signed_text.hpp"
#include "recording/tier_text.hpp"
#include "report/energy_columns.hpp"
#include "report/energy_reports.hpp"
#include "report/watt_hours.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

constexpr size_t kLoggedNameLength = 25;  ///< bytes of short names in the table of kernels

std::string whole_text(const TimedEnergy& full, const EnergySource& source) {
  const WindowEnergy& energy = full.energy;
  std::string text =
      wrapped("  ", fmt::format("whole, {} to {}: {:.3f} s, {} power samples{}", full.start_timestamp,
                                full.end_timestamp, energy.window.seconds(), energy.samples,
                                full.runs ? fmt::format(", {} runs", *full.runs) : std::string()));
  const std::string flagged = flags_text(energy);
  if (!flagged.empty()) text += wrapped("  ! ", flagged);
  if (!energy.joules) return text + "  energy: not available from this log\n";
  text += fmt::format("  power, W:  average {:.2f}  peak {:.2f}  min {:.2f}\n", energy.average_w,
                      energy.peak_w, energy.min_w);
  const auto line = [&](const char* what, const Interval& joules) {
    return fmt::format("  {:<22} {:>11.4g} J +- {:>8.3g} J (+-{:.2f} %) {:>10.5g} Wh\n", what, joules.value,
                       joules.half_width, 100 * joules.half_width / joules.value,
                       joules.value / kJoulesPerWh);
  };
  text += line("energy", *energy.joules);
  if (const auto each = full.each_j()) text += line("energy of one run", *each);
  if (source.idle_w) {
    const double seconds = energy.window.seconds();
    const double above = energy.joules->value - source.idle_w->value * seconds;
    text += fmt::format("  {:<22} {:>11.4g} J", fmt::format("above idle ({:.2f} W)", source.idle_w->value),
                        above);
    if (full.runs) text += fmt::format(", of one run {:.4g} J", above / static_cast<double>(*full.runs));
    text += "\n";
  }
  return text;
}

/// Returns a line that explains the mark ~ of kernels that share a block; empty if there are none.
std::string groups_text(const LogEnergies& energies) {
  std::set<std::string> groups;
  for (const KernelEnergy& kernel : energies.kernels)
    if (!kernel.group.empty()) groups.insert(kernel.group);
  if (groups.empty()) return "";
  return wrapped(
      "  ~ ",
      fmt::format(
          "kernels that were measured together ({}); their energy is divided in proportion to their times",
          fmt::join(groups, "; ")));
}

std::string tiers_text(const LogEnergies& energies) {
  std::string text;
  for (const Tier tier : {Tier::cuda_runtime, Tier::vendor_library, Tier::framework, Tier::unknown}) {
    const KernelSum sum = sum_of(energies.kernels, tier);
    if (sum.joules)
      text += fmt::format("  tier {:<8} {:>12.4g} J +- {:.3g} J, {} of {} kernels\n", tier_text(tier),
                          sum.joules->value, sum.joules->half_width, sum.measured, sum.kernels);
  }
  return text;
}

std::string context_text(const LogEnergies& energies) {
  const auto compared = compare_in_context(energies);
  if (!compared) return "";
  return wrapped("  ", "energy of one iteration: power of each block in the log x time in context") +
         fmt::format("    {:<22} {:>11.4g} J +- {:>8.3g} J\n", "sum of kernels", compared->sum_j.value,
                     compared->sum_j.half_width) +
         fmt::format("    {:<22} {:>11.4g} J +- {:>8.3g} J\n", "whole", compared->whole_j.value,
                     compared->whole_j.half_width) +
         wrapped("    ",
                 fmt::format(
                     "the sum differs from the whole by {} %; the 95 % interval of this difference {} 0",
                     signed_text(100 * compared->error(), 2), compared->agrees() ? "contains" : "excludes"));
}

std::vector<ReportedEnergy> rows_of(const LogEnergies& energies, const KernelNames& names) {
  std::vector<ReportedEnergy> rows;
  for (const KernelEnergy& kernel : energies.kernels) rows.push_back({&kernel.timed, &kernel, &names});
  return rows;
}

std::string kernels_text(const LogEnergies& energies, size_t top, NameStyle style) {
  const KernelNames names = names_of(energies, style, kLoggedNameLength);
  const KernelSum sum = sum_of(energies.kernels);
  std::vector<ReportedEnergy> rows = rows_of(energies, names);
  const bool in_context = compare_in_context(energies).has_value();
  const auto shown_j = [&](const ReportedEnergy& row) {
    return in_context ? in_context_j(*row.kernel) : total_j(*row.kernel);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](auto& a, auto& b) { return shown_j(a) > shown_j(b); });
  const size_t more = rows.size() - std::min(top, rows.size());
  rows.resize(rows.size() - more);
  std::vector<TableColumn<ReportedEnergy>> chosen = logged_energy_columns();
  std::erase_if(chosen, [&](auto& column) { return column.head == (in_context ? "total J" : "context J"); });
  const ShownColumns columns(chosen, Place::first_screen, rows, ColumnGaps{.first = 2});
  std::string text = "\n" + columns.heads() + "  kernel\n";
  for (const ReportedEnergy& row : rows) {
    const std::string flagged = flags_text(row.timed->energy);
    text += names.row(columns.cells(row) + (row.kernel->group.empty() ? "  " : " ~"), row.kernel->name,
                      flagged.empty() ? "" : " (" + flagged + ")");
  }
  if (more > 0) text += fmt::format("  and {} more kernels (--top N)\n", more);
  text += groups_text(energies);
  std::string measured = fmt::format("measured kernels: {} of {}", sum.measured, sum.kernels);
  if (sum.covered_share) measured += fmt::format(", with {:.1f} % of the time", 100 * *sum.covered_share);
  if (sum.flagged > 0) measured += fmt::format("; {} of them are flagged", sum.flagged);
  text += wrapped("  ", measured);
  if (sum.joules)
    text += fmt::format("  sum of measured kernels{} {:.4g} J +- {:.3g} J\n",
                        energies.whole_block ? ", each J x count," : "", sum.joules->value,
                        sum.joules->half_width);
  const auto whole = energies.full ? energies.full->each_j() : std::nullopt;
  if (whole && sum.joules && !in_context)
    text += wrapped(
        "  ",
        fmt::format("the sum differs from the whole ({:.4g} J) by {} %{}", whole->value,
                    signed_text(100 * (sum.joules->value / whole->value - 1), 2),
                    sum.measured < sum.kernels ? "; kernels without energy are missing from the sum" : ""));
  return text + tiers_text(energies) + context_text(energies);
}

/// Returns the mean power of the whole in the log, W; of the first kernel with energy if there is no whole;
/// nothing if nothing has energy.
std::optional<double> typical_w(const LogEnergies& energies) {
  if (energies.full && energies.full->energy.joules) return energies.full->energy.average_w;
  if (energies.whole_block && energies.whole_block->timed.energy.joules)
    return energies.whole_block->timed.energy.average_w;
  for (const KernelEnergy& kernel : energies.kernels)
    if (kernel.timed.energy.joules) return kernel.timed.energy.average_w;
  return {};
}

/// Returns a line with the meter's systematic error, which no interval contains.
std::string accuracy_text(const LogEnergies& energies) {
  const LogFacts& meter = energies.source.meter;
  const auto watts = typical_w(energies);
  if (meter.calibration && watts)
    return wrapped("  ", "systematic error: " + calibrated_error_text(*meter.calibration, *watts));
  if (!meter.accuracy) return wrapped("  ", "systematic error: not known (state it with --accuracy)");
  return wrapped("  ",
                 fmt::format("systematic error: +-{:.3g} % of all energies, not in their intervals ({})",
                             100 * *meter.accuracy, printable(meter.accuracy_from)));
}

/// Returns a line with the averaging time of the readings, on which the intervals depend.
std::string averaging_text(const EnergySource& source) {
  return wrapped(
      "  ", fmt::format("averaging time: {:.3g} s ({})", source.lag.averaging_s, printable(source.lag.from)));
}

}  // namespace

std::string energy_csv(const LogEnergies& energies) {
  const KernelNames names = names_of(energies);
  std::vector<ReportedEnergy> rows = rows_of(energies, names);
  if (energies.full) rows.insert(rows.begin(), {&*energies.full, nullptr, &names});
  return csv_text(logged_energy_columns(), rows);
}

std::string energy_text(const LogEnergies& energies, size_t top, NameStyle style) {
  const EnergySource& source = energies.source;
  std::string series;
  for (const std::string& name : source.series) series += (series.empty() ? "" : " + ") + name;
  std::string text =
      wrapped("", fmt::format("{} ({}, {})", printable(source.path), source.format, printable(series))) +
      wrapped("  ", "the meter measures " + source.meter.scope);
  text += accuracy_text(energies) + averaging_text(energies.source);
  if (source.found_offset_s)
    text +=
        wrapped("  ", fmt::format("clock offset: {:+.3f} s +- {:.3f} s, from the load pattern in the log; "
                                  "it is added to the log's times",
                                  source.found_offset_s->value, source.found_offset_s->half_width));
  if (energies.full) text += whole_text(*energies.full, source);
  if (!energies.kernels_timing.empty()) text += kernels_text(energies, top, style);
  return text;
}

}  // namespace kjoule
