#include "page/comparison_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text/printable.hpp"
#include "base/text/signed_text.hpp"
#include "compare/iteration/iteration_division.hpp"
#include "compare/iteration/launch_gaps.hpp"
#include "recording/tier_text.hpp"
#include "report/division_lines.hpp"
#include "report/kernel_columns.hpp"
#include "report/microseconds.hpp"
#include "report/quantities.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

/// A line of a table with a time and an energy of one iteration, or of a part of it.
struct CostLine {
  std::string name;
  std::string full{};  ///< more about the name; may be empty
  size_t depth = 0;
  size_t kernels = 0, launches = 0;
  std::optional<Interval> time_s{}, joules{}, watts{};
  double of_s = 0, of_j = 0;  ///< time and energy of which the shares are; 0 if not known
};

RowName cost_name(const CostLine& line) {
  return {line.name, line.full, line.depth};
}

/// Returns a column of a value, which is nothing if it was not measured; `format` is that of its text.
TableColumn<CostLine> cost_column(const char* head, const char* meaning, const char* format,
                                  const std::function<std::optional<double>(const CostLine&)>& value) {
  const auto finite = [value](const CostLine& line) {
    const auto of = value(line);
    return of && std::isfinite(*of) ? of : std::nullopt;
  };
  return {head,
          "",
          meaning,
          "",
          Place::details,
          [=](const CostLine& line) {
            const auto of = finite(line);
            return of ? fmt::format(fmt::runtime(format), *of) : std::string();
          },
          [=](const CostLine& line) {
            const auto of = finite(line);
            return of ? Json(*of) : Json();
          }};
}

auto value_of(std::optional<Interval> CostLine::*member, double factor) {
  return [=](const CostLine& line) {
    return line.*member ? std::optional(factor * (line.*member)->value) : std::nullopt;
  };
}
auto half_width_of(std::optional<Interval> CostLine::*member, double factor) {
  return [=](const CostLine& line) {
    const auto& interval = line.*member;
    const bool has_width = interval && interval->half_width > 0 && std::isfinite(interval->half_width);
    return has_width ? std::optional(factor * interval->half_width) : std::nullopt;
  };
}
auto share_of(std::optional<Interval> CostLine::*member, double CostLine::*of) {
  return [=](const CostLine& line) {
    return line.*member && line.*of > 0 ? std::optional(100 * (line.*member)->value / (line.*of))
                                        : std::nullopt;
  };
}
auto count_of(size_t CostLine::*member) {
  return [=](const CostLine& line) {
    return line.*member > 0 ? std::optional(static_cast<double>(line.*member)) : std::nullopt;
  };
}

std::vector<TableColumn<CostLine>> counts() {
  return {cost_column("kernels", "number of kernels", "{:.0f}", count_of(&CostLine::kernels)),
          cost_column("launches", "launches in one iteration", "{:.0f}", count_of(&CostLine::launches))};
}
std::vector<TableColumn<CostLine>> times(const char* share) {
  return {cost_column("us", "time in one iteration", "{:.1f}", value_of(&CostLine::time_s, 1e6)),
          cost_column("+- us", "half-width of the 95 % interval of us", "{:.2g}",
                      half_width_of(&CostLine::time_s, 1e6)),
          cost_column("% of time", share, "{:.1f}", share_of(&CostLine::time_s, &CostLine::of_s))};
}
std::vector<TableColumn<CostLine>> energies(const char* share) {
  return {cost_column("mJ", "energy in one iteration", "{:.2f}", value_of(&CostLine::joules, 1e3)),
          cost_column("+- mJ", "half-width of the 95 % interval of mJ", "{:.2g}",
                      half_width_of(&CostLine::joules, 1e3)),
          cost_column("% of energy", share, "{:.1f}", share_of(&CostLine::joules, &CostLine::of_j)),
          cost_column("W", "mean power", "{:.0f}", value_of(&CostLine::watts, 1)),
          cost_column("+- W", "half-width of the 95 % interval of W", "{:.2g}",
                      half_width_of(&CostLine::watts, 1))};
}

PageTable cost_table(const std::string& caption, const std::string& head, const std::vector<CostLine>& lines,
                     const std::vector<TableColumn<CostLine>>& columns) {
  PageTable table(caption, head);
  table.fill<CostLine>(columns, Place::details, lines, cost_name, {"us", "mJ"});
  return table;
}

/// Returns one line for each group of kernels, the largest time first.
template <class GroupOf>
std::vector<CostLine> grouped(const Comparison& c, const GroupOf& group_of) {
  std::map<std::string, CostLine> groups;
  for (const KernelResult& kernel : c.kernels) {
    CostLine& line = groups[group_of(kernel)];
    ++line.kernels;
    line.launches += kernel.count;
    if (kernel.in_context_s) {
      if (!line.time_s) line.time_s.emplace();
      line.time_s->value += kernel.in_context_s->value;
    }
    if (kernel.energy) {
      if (!line.joules) line.joules.emplace();
      line.joules->value += kernel.energy->joules.value;
    }
  }
  std::vector<CostLine> lines;
  for (auto& [name, line] : groups) {
    line.name = name;
    line.of_s = c.times.sum_s.value;
    if (c.energy && c.energy->missing.empty()) line.of_j = c.energy->estimate.sum_j.value;
    lines.push_back(line);
  }
  const auto time_s = [](const CostLine& line) { return line.time_s ? line.time_s->value : 0; };
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const CostLine& a, const CostLine& b) { return time_s(a) > time_s(b); });
  return lines;
}

PageTable groups_table(const std::string& caption, const std::string& head,
                       const std::vector<CostLine>& lines) {
  return cost_table(caption, head, lines,
                    joined({counts(), times("share of the sum of all kernels' times"),
                            energies("share of the sum of all kernels' energies")}));
}

std::string tier_name(Tier tier) {
  switch (tier) {
    case Tier::cuda_runtime:
      return "1: CUDA runtime (copies, memsets)";
    case Tier::vendor_library:
      return "2: vendor library";
    case Tier::framework:
      return "3: framework or own kernels";
    case Tier::unknown:
      break;
  }
  return "unknown";
}

}  // namespace

PageTable iterations_table(const std::vector<NamedComparison>& comparisons) {
  std::vector<CostLine> lines;
  for (const auto& [name, comparison] : comparisons) {
    CostLine& line = lines.emplace_back(CostLine{.name = printable(name)});
    line.full = verdict_text(comparison->judgement) + ": " + comparison->judgement.reason;
    line.kernels = comparison->kernels.size();
    for (const KernelResult& kernel : comparison->kernels) line.launches += kernel.count;
    line.time_s = comparison->times.whole_s;
    if (!comparison->energy || !comparison->energy->missing.empty()) continue;
    line.joules = comparison->energy->estimate.whole_j;
    line.watts = comparison->energy->estimate.whole_w;
  }
  return cost_table("The whole of each iteration: replayed without launch gaps", "iteration", lines,
                    joined({counts(), times(""), energies("")}));
}

PageTable quantities_table(const Comparison& c) {
  std::vector<CostLine> lines;
  const auto own = own_iteration(c);
  for (const NamedTime& one : quantities_of(c)) {
    if (!one.seconds) continue;
    CostLine& line = lines.emplace_back(CostLine{.name = one.label, .full = one.meaning});
    line.time_s = Interval{*one.seconds, one.half_width_s.value_or(0)};
    line.of_s = c.times.whole_s.value;
  }
  if (own && c.program_iteration_s()) lines.front().time_s = own;
  if (c.energy && c.energy->missing.empty()) {
    const EnergyResult& energy = *c.energy;
    lines[lines.size() - 2].joules = energy.estimate.whole_j;
    lines[lines.size() - 2].watts = energy.estimate.whole_w;
    lines.back().joules = energy.estimate.sum_j;
    lines.back().watts = energy.estimate.sum_w;
    if (c.program_iteration_s()) {
      lines.front().joules = energy.own_j;
      lines.front().watts = energy.own_w;
    }
    for (CostLine& line : lines) line.of_j = energy.estimate.whole_j.value;
  }
  return cost_table("One iteration: shares are those of the whole", "measured", lines,
                    joined({times("share of the whole's time"), energies("share of the whole's energy")}));
}

PageTable division_table(const Comparison& c) {
  std::vector<CostLine> lines;
  std::string caption = "The time of the program's own iteration";
  const auto own = own_iteration(c);
  const auto add = [&](const std::string& name, double seconds, double of_s) {
    CostLine& line = lines.emplace_back(CostLine{.name = name});
    line.time_s = Interval{seconds, 0};
    line.of_s = of_s;
  };
  if (const auto division = divide_iteration(c)) {
    for (const DivisionLine& one : division_lines(*division)) add(one.label, one.seconds, division->own_s);
    add("all", division->own_s, division->own_s);
    caption += fmt::format(": mean of {} iterations, seen by the profiler", division->iterations);
  } else if (const auto gaps_s = launch_gaps_s(c)) {
    add("kernels and copies, without gaps (replayed)", working_s(c), own->value);
    add("launch gaps", *gaps_s, own->value);
    add("all", own->value, own->value);
  }
  return cost_table(caption, "part", lines, times("share of the program's own iteration"));
}

PageTable categories_table(const Comparison& c) {
  return groups_table("Kernels by category", "category",
                      grouped(c, [](const KernelResult& kernel) { return printable(kernel.category); }));
}

PageTable tiers_table(const Comparison& c) {
  return groups_table("Kernels by tier, which is their origin", "tier",
                      grouped(c, [](const KernelResult& kernel) { return tier_name(kernel.tier); }));
}

PageTable kernels_table(const Comparison& c) {
  const KernelNames names = names_of(c.kernels);
  const std::vector<ReportedKernel> rows = kernel_rows(c.kernels, names, &c);
  PageTable table("All kernels of one iteration", "kernel");
  table.fill<ReportedKernel>(kernel_columns(), Place::details | Place::listed, rows,
                             [](const ReportedKernel& row) {
                               const KernelResult& kernel = *row.kernel;
                               std::string full = printable(kernel.signature.starts_with(kernel.name)
                                                                ? kernel.signature
                                                                : kernel.name + " " + kernel.signature);
                               if (!kernel.error.empty())
                                 full += "; missing from the sum: " + printable(kernel.error);
                               return RowName{row.names->shown(kernel.name), full};
                             },
                             {"all us", "all mJ"});
  table.let_sort("all us");
  return table;
}

PageTable ranges_table(const Comparison& c) {
  std::vector<CostLine> lines;
  for (const RangeResult& range : c.ranges) {
    CostLine& line = lines.emplace_back(CostLine{.name = printable(range.path.back())});
    line.depth = range.path.size() - 1;
    line.launches = range.launches;
    line.time_s = range.time_s;
    line.joules = range.energy_j;
    line.of_s = c.times.sum_s.value;
    if (c.energy && c.energy->missing.empty()) line.of_j = c.energy->estimate.sum_j.value;
  }
  return groups_table("NVTX ranges of one iteration; a range contains those that are indented below it",
                      "range", lines);
}

}  // namespace kjoule
