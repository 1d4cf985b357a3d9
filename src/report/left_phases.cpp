#include "report/left_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace kjoule {

namespace {

std::string counted_text(std::ptrdiff_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

/// Returns whether the phases are windows, of which neither launches nor GPU time are known.
bool are_windows(const LeftForAReason& left) {
  return left.phases.front().end == 0;
}

}  // namespace

std::string launches_text(const PartFacts& facts) {
  return fmt::format("{}..{}", facts.first, facts.end);
}

int64_t LeftForAReason::part_ns() const {
  return std::accumulate(phases.begin(), phases.end(), int64_t{0},
                         [](int64_t sum, const PartFacts& facts) { return sum + facts.part_ns; });
}

double LeftForAReason::run_share() const {
  return std::accumulate(phases.begin(), phases.end(), 0.0,
                         [](double sum, const PartFacts& facts) { return sum + facts.run_share; });
}

std::string LeftForAReason::text() const {
  const PartFacts& first = phases.front();
  const auto count = std::ssize(phases);
  if (are_windows(*this)) return counted_text(count, "window", "windows");
  if (count == 1)
    return fmt::format("{} at launches {}",
                       first.is_loop ? fmt::format("loop of {} iterations", first.iterations) : "single pass",
                       launches_text(first));
  const auto loops = std::ranges::count(phases, true, &PartFacts::is_loop);
  std::string text = loops > 0 ? counted_text(loops, "loop", "loops") : "";
  if (loops > 0 && loops < count) text += " and ";
  if (loops < count) text += counted_text(count - loops, "single pass", "single passes");
  return text;
}

std::string LeftForAReason::text_with_time() const {
  if (are_windows(*this)) return text();
  return fmt::format("{} ({:.3f} ms by the profiler)", text(), static_cast<double>(part_ns()) * 1e-6);
}

std::vector<LeftForAReason> left_by_reason(const std::vector<LeftPhase>& left) {
  std::vector<LeftForAReason> reasons;
  for (const LeftPhase& phase : left) {
    auto found = std::ranges::find(reasons, phase.why, &LeftForAReason::why);
    if (found == reasons.end()) found = reasons.insert(found, {phase.why, {}});
    found->phases.push_back(phase.facts);
  }
  std::ranges::stable_sort(reasons, std::ranges::greater{}, &LeftForAReason::part_ns);
  return reasons;
}

}  // namespace kjoule
