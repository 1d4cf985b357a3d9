#include "page/energy_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text/printable.hpp"
#include "page/figure_texts.hpp"
#include "page/power_chart.hpp"
#include "report/energy_columns.hpp"
#include "report/energy_reports.hpp"

namespace kjoule {

namespace {

KeyFigure energy_figure(const char* label, const Interval& joules, const std::string& note) {
  return {label, figure_energy(joules.value),
          fmt::format("+- {:.2g} % (95 % interval); {}", 100 * joules.half_width / joules.value, note)};
}

PageSection energies_section(const LogEnergies& energies) {
  PageSection section("result", "Result");
  std::vector<KeyFigure> figures;
  if (energies.full) {
    const WindowEnergy& energy = energies.full->energy;
    if (!energy.joules)
      section.add_verdict("The energy of the whole is not available", printable(energy.missing), "open");
    else
      figures.push_back(
          energy_figure("The whole costs", *energy.joules,
                        fmt::format("{:.3f} s at {:.1f} W", energy.window.seconds(), energy.average_w)));
    if (const auto each = energies.full->each_j())
      figures.push_back(
          energy_figure("One run costs", *each, fmt::format("{} runs", energies.full->runs.value_or(1))));
  }
  const KernelSum sum = sum_of(energies.kernels);
  if (sum.joules)
    figures.push_back(
        energy_figure("The kernels cost", *sum.joules,
                      fmt::format("{} of {} kernels were measured", sum.measured, sum.kernels)));
  if (const auto compared = compare_in_context(energies))
    section.add_verdict(
        compared->agrees() ? "Energy adds up" : "Energy does not add up",
        fmt::format("sum of kernels {:.4g} J, whole {:.4g} J; the 95 % interval of the difference "
                    "({:+.2f} %) {} 0",
                    compared->sum_j.value, compared->whole_j.value, 100 * compared->error(),
                    compared->agrees() ? "contains" : "excludes"),
        compared->agrees() ? "good" : "bad");
  section.add_figures(figures);
  for (const std::string& warning : warnings_of(energies))
    section.add_verdict("Warning", printable(warning), "open");
  return section;
}

std::vector<NamedWindow> named_windows(const LogEnergies& energies) {
  std::vector<NamedWindow> windows;
  const auto add = [&](const std::string& name, const TimedEnergy& timed) {
    if (timed.energy.joules && timed.energy.window.seconds() > 0)
      windows.push_back({name, timed.energy.window});
  };
  if (energies.full) add("the whole", *energies.full);
  if (energies.whole_block) add("the whole, repeated", energies.whole_block->timed);
  for (const KernelEnergy& kernel : energies.kernels) add("kernels, repeated", kernel.timed);
  return windows;
}

PageSection curve_section(const LogEnergies& energies, const std::vector<const PowerSeries*>& series) {
  PageSection section("curve", "Power");
  section.add_chart(power_chart(series, named_windows(energies)));
  return section;
}

/// Returns the table of the kernels, those with the most energy first.
PageSection logged_kernels_section(const LogEnergies& energies) {
  PageSection section("kernels", "Kernels");
  if (energies.kernels.empty()) return section;
  const bool in_context = compare_in_context(energies).has_value();
  const char* sorted = in_context ? "context J" : "total J";
  const auto shown_j = [&](const ReportedEnergy& row) {
    return in_context ? in_context_j(*row.kernel) : total_j(*row.kernel);
  };
  const KernelNames names = names_of(energies);
  std::vector<ReportedEnergy> rows;
  for (const KernelEnergy& kernel : energies.kernels) rows.push_back({&kernel.timed, &kernel, &names});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return shown_j(a) > shown_j(b); });
  PageTable table("Energies of the kernels", "kernel");
  table.fill<ReportedEnergy>(logged_energy_columns(), Place::first_screen, rows,
                             [](const ReportedEnergy& row) {
                               std::string full = printable(row.kernel->name + " " + row.kernel->signature);
                               if (!row.kernel->group.empty())
                                 full += "; measured with the group of " + printable(row.kernel->group);
                               if (const std::string flags = flags_text(row.timed->energy); !flags.empty())
                                 full += "; " + flags;
                               if (!row.kernel->error.empty()) full += "; " + printable(row.kernel->error);
                               return RowName{row.names->shown(row.kernel->name), full};
                             },
                             {sorted});
  table.let_sort(sorted);
  section.add_table(table);
  return section;
}

PageSection log_section(const EnergySource& source) {
  PageSection section("log", "Power log");
  std::string series;
  for (const std::string& name : source.series) series += (series.empty() ? "" : " + ") + name;
  std::vector<std::pair<std::string, std::string>> terms{
      {"file", printable(std::filesystem::path(source.path).filename().string())},
      {"format", source.format},
      {"series", printable(series)},
      {"the meter measures", source.meter.scope},
      {"averaging time", fmt::format("{:.3g} s ({})", source.lag.averaging_s, printable(source.lag.from))},
      {"clock offset", fmt::format("{:+.3f} s, added to the log's times", source.offset_s)},
      {"systematic error",
       source.meter.accuracy
           ? fmt::format("+-{:.3g} % of all energies, not in their intervals ({})",
                         100 * *source.meter.accuracy, printable(source.meter.accuracy_from))
           : "not known"}};
  if (source.idle_w) terms.emplace_back("idle power", fmt::format("{:.2f} W", source.idle_w->value));
  section.add_terms(terms);
  return section;
}

}  // namespace

Page energy_page(const LogEnergies& energies, const std::vector<const PowerSeries*>& series) {
  Page page{"Energy from a power log",
            printable(std::filesystem::path(energies.source.path).filename().string()) +
                (energies.full ? ", " + printable(energies.full->start_timestamp) : "")};
  page.sections = {energies_section(energies), curve_section(energies, series),
                   logged_kernels_section(energies), log_section(energies.source)};
  return page;
}

}  // namespace kjoule
