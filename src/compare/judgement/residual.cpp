#include "compare/judgement/residual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/text/microseconds.hpp"
#include "base/text/signed_text.hpp"
#include "compare/judgement/sentence_names.hpp"

namespace kjoule {

namespace {

using Lines = std::vector<std::string>;

/// Least share of the sum for which a kernel whose times differ gets a line of its own.
constexpr double kWorthALine = 0.01;
/// Difference between the time in context and that on the profiler's timeline above which a kernel gets a
/// line, as a share of the latter.
constexpr double kFarApart = 0.20;
constexpr size_t kMostKernels = 10;  ///< largest number of kernels with such a line, the longest ones first

std::string percent(double share) {
  return signed_text(100 * share, 1) + " %";
}

double mhz(double hz) {
  return hz * 1e-6;
}

void add_half_of_places(const Comparison& c, Lines& lines) {
  if (!c.times.half_of_places) return;
  lines.push_back(fmt::format(
      "kernel x count: the mean time of one half of a kernel's launches predicts the time of its other "
      "half; the mean error is {:.2f} % per kernel, and the error of the sum of all kernels is {} %; "
      "kernels with one launch ({:.0f} % of the time) cannot be tested like this",
      100 * c.times.half_of_places->mean_error, signed_text(100 * c.times.half_of_places->sum_error, 2),
      100 * c.times.half_of_places->once_share));
}

void add_timed_together(const Comparison& c, Lines& lines) {
  if (c.timed_together_share > 0)
    lines.push_back(
        fmt::format("timed together: {:.0f} % of the time is spent in launches that may begin before their "
                    "predecessors end; they are timed in groups, and the time of a group is divided among "
                    "its launches in proportion to their times in the profiler",
                    100 * c.timed_together_share));
}

void add_other_starts(const Comparison& c, Lines& lines) {
  if (c.quoted_spread)
    lines.push_back(
        fmt::format("starts: the 95 % interval does not include differences between two starts of the "
                    "program; for {} other programs on {}, iteration times differed by {:.1f} % in the "
                    "median and {:.1f} % at most (--starts N measures this for your program)",
                    c.quoted_spread->programs, fmt::join(c.quoted_spread->devices, ", "),
                    c.quoted_spread->median_percent, c.quoted_spread->worst_percent));
  for (const OtherStart& start : c.other_starts)
    lines.push_back(start.error.empty()
                        ? fmt::format("starts: in another start of the program, the whole takes {:.1f} us, "
                                      "from which the sum of the first start differs by {}",
                                      1e6 * start.whole_s, percent(c.times.sum_s.value / start.whole_s - 1))
                        : "starts: another start of the program was not measured: " + start.error);
}

void add_views(const Comparison& c, Lines& lines) {
  const double whole = c.times.whole_s.value;
  if (c.times.own_iteration_s)
    lines.push_back(
        fmt::format("own iteration: the iteration as the program runs it differs from the whole by {} (both "
                    "timed alternately); causes are the program's own work on the CPU and memory that it "
                    "allocates at other addresses",
                    percent(c.times.own_iteration_s->value / whole - 1)));
  if (c.overlapped_s)
    lines.push_back(
        fmt::format("overlap: with its streams replayed in parallel and without launch gaps, the iteration's "
                    "time differs by {} from the whole, in which launches run one after another",
                    percent(c.overlapped_s->value / whole - 1)));
  if (!c.overlapped_missing.empty())
    lines.push_back("overlap: the program's own streams could not be replayed in parallel: " +
                    c.overlapped_missing);
  if (c.isolated_sum_s)
    lines.push_back(fmt::format(
        "in isolation: the sum of the kernels, each repeated back to back, differs by {} from the whole",
        percent(*c.isolated_sum_s / whole - 1)));
  lines.push_back(fmt::format(
      "noise: the 95 % interval of the sum is +-{:.1f} % of the whole after {} rounds of measurements",
      100 * c.times.sum_s.half_width / whole, c.times.rounds));
  add_half_of_places(c, lines);
  add_timed_together(c, lines);
  add_other_starts(c, lines);
  if (c.times.whole_clock_hz && c.times.sum_clock_hz)
    lines.push_back(fmt::format(
        "GPU clock: {:.0f} MHz while the whole was measured, {:.0f} MHz while kernels were measured",
        mhz(*c.times.whole_clock_hz), mhz(*c.times.sum_clock_hz)));
}

void add_totals(const Comparison& c, const TimelineTotals& t, Lines& lines) {
  lines.push_back(
      fmt::format("timeline: the iteration that was recorded took {:.1f} us as the program ran it: the "
                  "device was busy for {:.1f} us and idle for {:.1f} us",
                  ns_to_us(t.span_ns), ns_to_us(t.busy_ns), ns_to_us(t.idle_ns)));
  lines.push_back(fmt::format(
      "timeline: the launches of that iteration took {:.1f} us in total, of which {:.1f} us overlap other "
      "launches; the busy time differs by {} from the whole, which also contains the delay from one kernel "
      "to the next",
      ns_to_us(t.work_ns), ns_to_us(t.overlap_ns),
      percent(ns_to_us(t.busy_ns) / (1e6 * c.times.whole_s.value) - 1)));
}

void add_audit(const Audit& audit, Lines& lines) {
  lines.push_back(
      fmt::format("audit: {} launches were recorded, and the profiler (CUPTI) reports {} activities: {}",
                  audit.launches, audit.activities,
                  audit.equal() ? "no difference"
                                : fmt::format("{} difference{}", audit.differences_found,
                                              audit.differences_found == 1 ? "" : "s")));
  for (const std::string& difference : audit.differences) lines.push_back("audit: " + difference);
}

void add_timeline(const Comparison& c, Lines& lines) {
  if (!c.timeline) return;
  const TimelineResult& timeline = *c.timeline;
  if (!timeline.error.empty()) {
    lines.push_back("audit: not possible, because the device's timeline could not be read: " +
                    timeline.error);
    return;
  }
  if (timeline.totals) add_totals(c, *timeline.totals, lines);
  add_audit(timeline.audit, lines);
  if (!timeline.launch_s_missing.empty())
    lines.push_back("check: the kernels' times in the device's timeline are not available: " +
                    timeline.launch_s_missing);
  if (const auto replayed = timeline.replayed_whole_s())
    lines.push_back(fmt::format(
        "check: the profiler (CUPTI) gives {:.1f} us for one replay of the iteration, which differs "
        "by {} from the whole that kjoule timed",
        1e6 * *replayed, percent(*replayed / c.times.whole_s.value - 1)));
}

void add_checks(const Comparison& c, Lines& lines) {
  if (!c.timeline_difference) return;
  lines.push_back(
      fmt::format("check: the kernels' shares of the total time differ by {:.1f} % from those in the "
                  "profiler's timeline (CUPTI)",
                  100 * *c.timeline_difference));
  const SentenceNames names(c.kernels);
  size_t far_apart = 0;
  for (const KernelResult& kernel : c.kernels) {
    if (!kernel.in_context_s || !kernel.timeline_s || !(*kernel.timeline_s > 0)) continue;
    const double apart = kernel.in_context_s->value / *kernel.timeline_s - 1;
    if (kernel.in_context_s->value < kWorthALine * c.times.sum_s.value || std::abs(apart) <= kFarApart)
      continue;
    if (++far_apart > kMostKernels) continue;
    lines.push_back(
        fmt::format("check: {} (x{}) takes {:.1f} us in context, and {:.1f} us in the profiler's timeline of "
                    "a replayed iteration ({})",
                    names.of(kernel.name), kernel.count, 1e6 * kernel.in_context_s->value,
                    1e6 * *kernel.timeline_s, percent(apart)));
  }
  if (far_apart > kMostKernels)
    lines.push_back(fmt::format(
        "check: the times of {} more kernels differ by more than 20 % from those in the profiler's timeline",
        far_apart - kMostKernels));
}

void add_verification(const Comparison& c, Lines& lines) {
  const size_t varying = c.verification ? c.verification->found.varying.size() : 0;
  if (varying > 0)
    lines.push_back(
        fmt::format("check: the output of {} launch{} changes from replay to replay, or depends on such a "
                    "launch: the program is not deterministic",
                    varying, varying == 1 ? "" : "es"));
}

}  // namespace

std::vector<std::string> residual_of(const Comparison& comparison) {
  Lines lines;
  add_views(comparison, lines);
  add_timeline(comparison, lines);
  add_checks(comparison, lines);
  add_verification(comparison, lines);
  return lines;
}

}  // namespace kjoule
