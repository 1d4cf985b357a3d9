#include "measure/time/clocked_passes.hpp"

#include <algorithm>

namespace kjoule {

namespace {

constexpr size_t kStride = 2;

/// Returns the pass that times the launches at the places first, first + kStride, and so on. The launches
/// after the last timed one are also replayed, so that the pass leaves the device in the same state as an
/// iteration.
ClockedPass pass_from(const std::vector<LaunchIndex>& order, size_t first) {
  ClockedPass pass;
  Segment segment;
  for (size_t place = 0; place < order.size(); ++place) {
    if (place % kStride != first) {
      segment.lead.push_back(order[place]);
      continue;
    }
    segment.timed = {order[place]};
    pass.sequence.segments.push_back(std::move(segment));
    pass.timed.push_back(order[place]);
    segment = {};
  }
  if (!segment.lead.empty()) pass.sequence.segments.push_back(std::move(segment));
  return pass;
}

}  // namespace

void ClockedPass::add_times(const std::vector<double>& replayed, std::vector<double>& seconds) const {
  const size_t segments = sequence.segments.size();
  const auto repeats = static_cast<double>(replayed.size() / segments);
  for (size_t s = 0; s < replayed.size(); ++s)
    if (const size_t segment = s % segments; segment < timed.size())
      seconds[timed[segment]] += replayed[s] / repeats;
}

std::vector<ClockedPass> clocked_passes(const TimedIteration& iteration) {
  const std::vector<LaunchIndex> order = iteration.order();
  std::vector<ClockedPass> passes;
  for (size_t first = 0; first < std::min(kStride, order.size()); ++first)
    passes.push_back(pass_from(order, first));
  return passes;
}

Sequence in_one_segment(const TimedIteration& iteration) {
  return {{Segment{{}, iteration.order()}}};
}

}  // namespace kjoule
