#include "report/first_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text/microseconds.hpp"
#include "base/text/printable.hpp"
#include "base/text/signed_text.hpp"
#include "compare/iteration/iteration_division.hpp"
#include "compare/iteration/launch_gaps.hpp"
#include "compare/iteration/rank_group_result.hpp"
#include "compare/judgement/judge.hpp"
#include "recording/chosen_phases.hpp"
#include "report/collective_reports.hpp"
#include "report/comparison_energy.hpp"
#include "report/division_lines.hpp"
#include "report/microseconds.hpp"
#include "report/per_item.hpp"
#include "report/rank_energy_reports.hpp"
#include "report/rank_reports.hpp"
#include "report/shown_interval.hpp"
#include "report/watched_reports.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

constexpr size_t kLabelWidth = 43;
constexpr size_t kIntervalWidth = 12;  ///< width of the half-width of a time, if another column follows
constexpr double kUnknown = std::numeric_limits<double>::infinity();  ///< half-width
constexpr size_t kMostFindings = 2, kMostFindingsOfRanks = 1;
/// The screen states that an iteration takes longer while energy is read if it takes longer by at least this
/// share.
constexpr double kNoteworthyLonger = 0.02;
/// The advice on staging is shown from this share of the iteration.
constexpr double kNoteworthyStaging = 0.01;

bool is_simulated(const Comparison& c) {
  const auto device = c.run.find("device");
  return device != c.run.end() && device->value("kind", "") == "simulated";
}

std::string head_text(const Comparison& c) {
  size_t launches = 0;
  for (const KernelResult& kernel : c.kernels) launches += kernel.count;
  std::string how = c.part ? part_text(*c.part) : printable(c.iteration);
  if (!how.empty()) how = ": " + how;
  std::string title = printable(c.run.value("title", "compare"));
  if (is_simulated(c)) title += ": a simulated device, so none of these figures is real";
  return wrapped("", title) +
         wrapped("  iteration  ",
                 fmt::format("{} launch{} of {} kernel{}{}", launches, launches == 1 ? "" : "es",
                             c.kernels.size(), c.kernels.size() == 1 ? "" : "s", how));
}

std::string time_line(const char* label, const Interval& time_s, const std::optional<double>& items = {}) {
  const std::string width =
      std::isfinite(time_s.half_width) ? fmt::format("  +- {:.2g} us", us(time_s.half_width)) : "";
  return fmt::format("  {:<{}} {:>12.1f}{:<{}}{}\n", label, kLabelWidth, us(time_s.value), width,
                     items ? kIntervalWidth : 0, per_item_cell(us(time_s.value), items));
}

std::string times_of_iteration(const Comparison& c) {
  const auto items = items_of(c.run);
  std::string text = fmt::format("\n  {:<{}} {:>12}  95 %{}\n", "one iteration", kLabelWidth, "us",
                                 items ? "        us/item" : "");
  if (const auto own = own_iteration(c)) text += time_line("as the program runs it", *own, items);
  text += time_line("whole: its launches replayed without gaps", c.times.whole_s, items);
  return text + time_line("sum: kernels' times x counts", c.times.sum_s, items);
}

/// Returns the time of a replayed table; empty if there is none.
std::string replayed_text(const Comparison& c) {
  // Counts over a whole trace must not be compared with one iteration.
  if (!c.replayed || !c.replayed->iterations_missing.empty() || !c.replayed->sum_s()) return {};
  return time_line("replayed from signatures, in isolation, us", {*c.replayed->sum_s(), kUnknown});
}

std::string findings_text(const Comparison& c, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(most, c.findings.size()); ++i)
    text += wrapped("  finding: ", printable(c.findings[i]));
  if (c.findings.size() > most)
    text += fmt::format("  and {} more finding{} (-v)\n", c.findings.size() - most,
                        c.findings.size() - most == 1 ? "" : "s");
  return text;
}

/// Returns a table of the parts into which the time of the program's own iteration is divided.
std::string division_text(const IterationDivision& division) {
  std::string text = fmt::format("\n  {:<{}} {:>12}  % of it\n",
                                 fmt::format("the program's iteration (mean of {})", division.iterations),
                                 kLabelWidth, "us");
  const auto add = [&](const char* part, double time_s) {
    text += fmt::format("  {:<{}} {:>12.1f} {:>7.1f}\n", part, kLabelWidth, us(time_s),
                        100 * time_s / division.own_s);
  };
  for (const DivisionLine& part : division_lines(division)) add(part.label, part.seconds);
  add("all", division.own_s);
  if (division.staging_s > kNoteworthyStaging * division.own_s)
    text += wrapped(
        "  advice: ",
        fmt::format("page-locked (pinned) memory would save up to {:.1f} us ({:.0f} %) of an iteration",
                    us(division.staging_s), 100 * division.staging_s / division.own_s));
  return text;
}

/// Returns a line with the time and energy of the launch gaps; empty if they are not known.
std::string gaps_text(const Comparison& c) {
  const auto gaps_s = launch_gaps_s(c);
  if (!gaps_s) return {};
  std::string text = fmt::format("{:.1f} us ({:.0f} %) of the program's iteration", us(*gaps_s),
                                 100 * *gaps_s / own_iteration(c)->value);
  if (c.energy && c.energy->idle_w)
    text += fmt::format("; {:.2f} mJ when idle", 1e3 * *gaps_s * *c.energy->idle_w);
  return wrapped("  launch gaps: ", text);
}

/// Lines of the table of energies, with a column for one item if the number of items is known.
class EnergyLines {
 public:
  explicit EnergyLines(const std::optional<double>& items)
      : items_(items), label_width_(items ? kLabelWidth - 10 : kLabelWidth) {}

  std::string head(const std::string& title) const {
    return fmt::format("\n  {:<{}} {:>12}  {:<14} {:>5}{}\n", title, label_width_, "mJ", "95 %", "W",
                       items_ ? "   mJ/item" : "");
  }
  std::string line(const char* label, const Interval& joules, const Interval& watts) const {
    const double width = 1e3 * joules.half_width;
    return fmt::format("  {:<{}} {:>12.2f}  {:<14} {:>5.0f}{}\n", label, label_width_, 1e3 * joules.value,
                       std::isfinite(width) ? fmt::format("+- {:.2g} mJ", width) : "+- unknown", watts.value,
                       per_item_cell(1e3 * joules.value, items_));
  }

 private:
  std::optional<double> items_;
  size_t label_width_;
};

/// Returns a line that states how much longer one iteration takes while energy is read; empty if the
/// difference is small.
std::string longer_text(const Comparison& c) {
  const double longer = c.energy->estimate.whole_s.value / c.times.whole_s.value - 1;
  if (longer < kNoteworthyLonger) return {};
  return wrapped(
      "  ", fmt::format("the whole takes {:.1f} us while energy is read (mJ / W), {:.0f} % more than above",
                        us(c.energy->estimate.whole_s.value), 100 * longer));
}

/// Returns a line with the energies above idle power; empty if idle power is not known.
std::string net_text(const EnergyResult& energy) {
  if (!energy.idle_w) return {};
  std::string text = fmt::format("above idle power ({:.0f} W): ", *energy.idle_w);
  if (energy.own_j) text += decimal_text(1e3 * *energy.own_net_j(), 2) + " mJ as the program runs it, ";
  return wrapped("  ", text + decimal_text(1e3 * *energy.whole_net_j(), 2) + " mJ whole");
}

std::string energy_of_iteration(const Comparison& c) {
  if (!c.energy || !c.ranks.empty()) return {};  // rank_energies_screen() has the energies of ranks
  const EnergyResult& energy = *c.energy;
  if (!energy.missing.empty()) return "\n" + wrapped("  energy: not measured: ", energy.missing);
  const std::string head = "energy, by " + energy.meters.front().facts.value("source", "a meter");
  const EnergyLines lines(items_of(c.run));
  std::string text = lines.head(head);
  if (energy.own_j) text += lines.line("as the program runs it", *energy.own_j, *energy.own_w);
  text += lines.line("whole", energy.estimate.whole_j, energy.estimate.whole_w);
  text += lines.line("sum: kernels' energies", energy.estimate.sum_j, energy.estimate.sum_w);
  text += net_text(energy);
  const Judgement verdict = judge_energy(energy);
  text += wrapped("  ", fmt::format("energy {}: {}", verdict_text(verdict), verdict.reason));
  return text + systematic_error_text(energy) + sensor_rate_text(energy) + longer_text(c);
}

}  // namespace

std::string times_screen(const Comparison& comparison) {
  if (!comparison.ranks.empty()) return head_text(comparison) + "\n" + group_text(comparison.ranks);
  return head_text(comparison) + times_of_iteration(comparison);
}

std::string verdict_screen(const Comparison& comparison) {
  if (comparison.ranks.empty())
    return wrapped("  ",
                   fmt::format("{}: {}", verdict_text(comparison.judgement), comparison.judgement.reason));
  const RankResult& rank = least_certain_rank(comparison.ranks);
  return wrapped("  ",
                 fmt::format("{}: {}: {}", verdict_text(rank.judgement), rank.rank, rank.judgement.reason));
}

std::string energy_screen(const Comparison& comparison) {
  return energy_of_iteration(comparison);
}

std::string notes_screen(const Comparison& comparison) {
  if (!comparison.ranks.empty())
    return ranks_screen(comparison.ranks) + rank_energies_screen(comparison.ranks) +
           collectives_screen(comparison) + (comparison.watched ? watched_screen(*comparison.watched) : "") +
           replayed_text(comparison) + findings_text(comparison, kMostFindingsOfRanks);
  const auto division = divide_iteration(comparison);
  const bool copies = division && division->transfers_s > 0;
  return replayed_text(comparison) + findings_text(comparison, kMostFindings) +
         (copies ? division_text(*division) : gaps_text(comparison));
}

}  // namespace kjoule
