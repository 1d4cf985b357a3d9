#include "report/phase_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/json/finite_json.hpp"
#include "base/text/signed_text.hpp"
#include "report/microseconds.hpp"
#include "report/run_estimate_report.hpp"
#include "report/wrapped.hpp"

namespace kjoule {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShownLeft = 5;  ///< most reasons for missing replays that are printed on a terminal

double share_percent(double part, double all) {
  return all > 0 ? 100 * part / all : 0;
}

double error_percent(const Interval& sum, const Interval& whole) {
  return share_percent(sum.value - whole.value, whole.value);
}

std::string launches_text(const PartFacts& facts) {
  return fmt::format("{}..{}", facts.first, facts.end);
}

std::string phase_line(const MeasuredPhase& phase) {
  const std::string cells = fmt::format(
      "{:>5}{:>11}{:>12.3f}{:>12.3f}{:>8.2f}{:>7.2f}{:>10.3f}  ", phase.number, phase.facts.iterations,
      us(phase.whole_s.value), us(phase.sum_s.value), error_percent(phase.sum_s, phase.whole_s),
      share_percent(phase.sum_s.half_width, phase.whole_s.value),
      1e3 * static_cast<double>(phase.facts.iterations) * phase.whole_s.value);
  return table_row(cells, launches_text(phase.facts));
}

std::string energies_text(const RunComparison& run) {
  std::string text;
  for (const MeasuredPhase& phase : run.measured)
    if (phase.energy)
      text += fmt::format("  energy of phase {}: whole {:.4g} J, sum {} % +- {:.2f} %\n", phase.number,
                          phase.energy->whole_j.value,
                          signed_text(error_percent(phase.energy->sum_j, phase.energy->whole_j), 2),
                          share_percent(phase.energy->sum_j.half_width, phase.energy->whole_j.value));
  return text;
}

/// Phases that were not replayed, all for the same reason.
struct LeftForAReason {
  std::string why;
  std::vector<const PartFacts*> phases;

  int64_t part_ns() const {
    return std::accumulate(phases.begin(), phases.end(), int64_t{0},
                           [](int64_t sum, const PartFacts* facts) { return sum + facts->part_ns; });
  }
  std::ptrdiff_t loops() const { return std::ranges::count(phases, true, &PartFacts::is_loop); }
};

/// Returns the phases that were not replayed, grouped by reason; the reason with the most GPU time comes
/// first.
std::vector<LeftForAReason> by_reason(const std::vector<LeftPhase>& left) {
  std::vector<LeftForAReason> reasons;
  for (const LeftPhase& phase : left) {
    auto found = std::ranges::find(reasons, phase.why, &LeftForAReason::why);
    if (found == reasons.end()) found = reasons.insert(found, {phase.why, {}});
    found->phases.push_back(&phase.facts);
  }
  std::ranges::stable_sort(reasons, std::ranges::greater{}, &LeftForAReason::part_ns);
  return reasons;
}

std::string counted_text(std::ptrdiff_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string phases_text(const LeftForAReason& left) {
  const PartFacts& first = *left.phases.front();
  const auto count = std::ssize(left.phases);
  if (first.end == 0) return counted_text(count, "window", "windows");
  const std::string ms = fmt::format("{:.3f} ms by the profiler", static_cast<double>(left.part_ns()) * 1e-6);
  if (count == 1)
    return fmt::format("{} at launches {} ({})",
                       first.is_loop ? fmt::format("loop of {} iterations", first.iterations) : "single pass",
                       launches_text(first), ms);
  const auto loops = left.loops();
  std::string text = loops > 0 ? counted_text(loops, "loop", "loops") : "";
  if (loops > 0 && loops < count) text += " and ";
  if (loops < count) text += counted_text(count - loops, "single pass", "single passes");
  return fmt::format("{} ({})", text, ms);
}

std::string left_text(const RunComparison& run) {
  const std::vector<LeftForAReason> reasons = by_reason(run.left);
  std::string text;
  for (size_t i = 0; i < std::min(reasons.size(), kShownLeft); ++i)
    text +=
        wrapped("  ", fmt::format("not replayed: {}; reason: {}", phases_text(reasons[i]), reasons[i].why));
  if (reasons.size() > kShownLeft)
    text += fmt::format("  not replayed: phases for {} more reasons (run_report.json lists them)\n",
                        reasons.size() - kShownLeft);
  return text;
}

}  // namespace

std::string further_starts_text(const FurtherStarts& starts) {
  std::string text =
      fmt::format("{} further start{} of the program", starts.count, starts.count == 1 ? "" : "s");
  if (starts.matched_share)
    text += fmt::format(", in which phases with {:.0f} % of the chosen phases' GPU time ran again",
                        100 * *starts.matched_share);
  if (starts.exit_code) text += fmt::format("; one start ran to its end (exit code {})", *starts.exit_code);
  for (const std::string& why : starts.ended)
    text += fmt::format("; one start was ended early, so its output files may be incomplete: {}", why);
  return wrapped("  ", text);
}

namespace {

/// Returns whether the part is a window instead of a phase. The GPU time of a window is not known, because
/// the profiler's records were closed while it was recorded.
bool is_window(const PartFacts& facts) {
  return !facts.is_loop && facts.part_ns == 0;
}

std::string kind_of(const PartFacts& facts) {
  if (facts.is_loop) return "loop";
  return is_window(facts) ? "window" : "single pass";
}

Json phase_part_json(const PartFacts& facts) {
  const bool is_timed = !is_window(facts);
  return {{"kind", kind_of(facts)},
          {"first_launch", facts.end > 0 ? Json(facts.first) : Json()},
          {"launches", facts.end > 0 ? Json(facts.launches()) : Json()},
          {"iterations", facts.iterations},
          {"samples", std::max<uint64_t>(1, facts.samples)},
          {"busy_us", is_timed ? Json(static_cast<double>(facts.part_ns) * 1e-3) : Json()},
          {"run_share_percent", is_timed ? Json(100 * facts.run_share) : Json()},
          {"spread_percent", facts.spread ? Json(100 * facts.spread->share()) : Json()}};
}

Json measured_json(const MeasuredPhase& phase) {
  Json json{{"phase", phase.number}, {"folder", phase.folder}};
  json.update(phase_part_json(phase.facts));
  json["whole_us"] = us(phase.whole_s.value);
  json["sum_us"] = us(phase.sum_s.value);
  json["half_width_us"] = us(phase.sum_s.half_width);
  json["sum_error_percent"] = error_percent(phase.sum_s, phase.whole_s);
  const auto& energy = phase.energy;
  json["whole_joules"] = energy ? Json(energy->whole_j.value) : Json();
  json["sum_joules"] = energy ? Json(energy->sum_j.value) : Json();
  json["half_width_joules"] = energy ? Json(energy->sum_j.half_width) : Json();
  return json;
}

Json left_json(const LeftPhase& phase) {
  Json json = phase_part_json(phase.facts);
  json["reason"] = phase.why;
  return json;
}

}  // namespace

std::string run_comparison_text(const RunComparison& run) {
  std::string text = fmt::format("\nmeasured by replay: {} with {:.0f} % of all {} time (by the profiler)\n",
                                 run.has_kernels ? "kernels" : "copies and memsets", 100 * run.replayed_share,
                                 run.has_kernels ? "kernels'" : "copies'");
  if (!run.measured.empty())
    text += fmt::format("{:>5}{:>11}{:>12}{:>12}{:>8}{:>7}{:>10}  launches\n", "phase", "iterations",
                        "whole us", "sum us", "error %", "+- %", "total ms");
  for (const MeasuredPhase& phase : run.measured) text += phase_line(phase);
  text += energies_text(run) + left_text(run);
  if (run.starts) text += further_starts_text(*run.starts);
  if (run.estimate) text += run_estimate_text(*run.estimate);
  return text + wrapped("", fmt::format("{}: {}", verdict_text(run.judgement), run.judgement.reason));
}

nlohmann::ordered_json run_comparison_json(const RunComparison& run) {
  Json json{{"verdict", to_string(run.judgement.verdict)},
            {"within_percent", 100 * run.judgement.within},
            {"requested_within_percent", 100 * run.requested_within},
            {"verdict_reason", run.judgement.reason},
            {"replayed_share_percent", 100 * run.replayed_share},
            {"whole_us", us(run.whole_s.value)},
            {"sum_us", us(run.sum_s.value)},
            {"half_width_us", us(run.sum_s.half_width)},
            {"sum_error_percent", error_percent(run.sum_s, run.whole_s)}};
  const FurtherStarts starts = run.starts.value_or(FurtherStarts{});
  json["further_starts"] = starts.count;
  json["matched_share_percent"] = starts.matched_share ? Json(100 * *starts.matched_share) : Json();
  json["exit_code"] = starts.exit_code ? Json(*starts.exit_code) : Json();
  json["ended"] = starts.ended;
  json["phases"] = Json::array();
  for (const MeasuredPhase& phase : run.measured) json["phases"].push_back(measured_json(phase));
  json["estimate"] = run.estimate ? run_estimate_json(*run.estimate) : Json();
  json["not_replayed"] = Json::array();
  for (const LeftPhase& phase : run.left) json["not_replayed"].push_back(left_json(phase));
  return with_finite_numbers(json);
}

}  // namespace kjoule
