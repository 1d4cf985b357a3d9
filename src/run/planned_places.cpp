#include "run/planned_places.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "recording/run_sums.hpp"

namespace kjoule {

namespace {

/// GPU time of a window, ns. It is so short that a window is replayed a hundred times within some seconds,
/// and so long that these replays time a kernel of 1 us with a thousand steps of the stamps' clock.
constexpr double kWindow_ns = 10e6;
constexpr double kEdge_ns = 1e6;
/// Limits of WindowPlace::least, the smallest number of launches in a window; the largest number is twice as
/// large. Making graphs of more launches takes longer than replaying them.
constexpr double kFewest = 8, kMostLeast = 600;
constexpr double kLeastEdge = 4;  ///< smallest number of launches in a lead or tail

/// Returns the launches before which the host waited for the device, in ascending order.
std::vector<uint64_t> waits_in(const RunLog& log) {
  std::vector<uint64_t> waits;
  uint64_t launch = 0;
  for (const HostCall& call : log.calls) {
    if (call.kind == HostCallKind::synchronise) waits.push_back(launch);
    if (call.kind == HostCallKind::launch || call.kind == HostCallKind::graph) ++launch;
  }
  return waits;
}

/// Chooses the places of windows around given launches.
class Places {
 public:
  Places(const RunLog& log, const RunSums& sums)
      : usual_(usual_window(log)), sums_(sums), waits_(waits_in(log)) {}

  WindowPlace around(uint64_t launch) const {
    const uint64_t begin = sums_.number(begin_before(launch));
    WindowPlace place = usual_;
    place.lead_first = begin - std::min(begin, usual_.lead);
    place.lead = std::max<uint64_t>(1, begin - place.lead_first);
    place.least = std::max(usual_.least, sums_.number(launch + 1) - begin);
    place.most = 2 * place.least;
    return place;
  }

 private:
  uint64_t begin_before(uint64_t launch) const {
    const auto after = std::ranges::upper_bound(waits_, launch);
    const uint64_t earliest = launch - std::min(launch, usual_.least);
    if (after != waits_.begin() && *std::prev(after) >= earliest) return *std::prev(after);
    return launch - std::min(launch, usual_.least / 2);
  }

  WindowPlace usual_;
  const RunSums& sums_;
  std::vector<uint64_t> waits_;
};

uint64_t end_of(const WindowPlace& place) {
  return place.lead_first + place.lead + place.most + place.tail;
}

}  // namespace

bool overlaps(const WindowPlace& place, uint64_t first, uint64_t end) {
  const uint64_t longest_lead = WindowPlace::kLongestLead * place.lead;
  return place.lead_first < end && first < place.lead_first + longest_lead + place.most + place.tail;
}

WindowPlace usual_window(const RunLog& log) {
  int64_t busy_ns = 0;
  for (const DeviceOperation& operation : log.operations) busy_ns += operation.end_ns - operation.begin_ns;
  const auto operations = static_cast<double>(std::max<size_t>(1, log.operations.size()));
  const double each_ns = std::max(1.0, static_cast<double>(busy_ns) / operations);
  constexpr auto kEdge = static_cast<double>(WindowPlace::kEdge);
  WindowPlace place;
  place.lead = place.tail = static_cast<uint64_t>(std::clamp(kEdge_ns / each_ns, kLeastEdge, kEdge));
  place.least = static_cast<uint64_t>(std::clamp(kWindow_ns / each_ns, kFewest, kMostLeast));
  place.most = 2 * place.least;
  return place;
}

std::vector<int64_t> unmeasured_ns(const RunLog& log, const MeasuredKernels& measured) {
  const RunSums sums(log);
  const std::vector<bool> known = measured.known_in(log);
  std::vector<int64_t> ns(sums.launches().size(), 0);
  for (const DeviceOperation& operation : log.operations) {
    if (operation.kind != OperationKind::kernel || known[operation.name]) continue;
    if (const auto launch = sums.launch_of(operation)) ns[*launch] += operation.end_ns - operation.begin_ns;
  }
  return ns;
}

std::vector<WindowPlace> plan_places(const RunLog& log, const MeasuredKernels& measured, size_t count,
                                     uint64_t seed) {
  const RunSums sums(log);
  const std::vector<int64_t> ns = unmeasured_ns(log, measured);
  const auto all_ns = static_cast<double>(std::accumulate(ns.begin(), ns.end(), int64_t{0}));
  if (!(all_ns > 0)) return {};
  std::mt19937_64 words(seed);
  const double step_ns = all_ns / static_cast<double>(count);
  double next_ns = step_ns * std::uniform_real_distribution<double>(0, 1)(words);
  const Places places(log, sums);
  std::vector<WindowPlace> planned;
  double passed_ns = 0;
  for (uint64_t launch = 0; launch < ns.size(); ++launch) {
    passed_ns += static_cast<double>(ns[launch]);
    if (passed_ns <= next_ns) continue;
    while (next_ns < passed_ns) next_ns += step_ns;
    const WindowPlace place = places.around(launch);
    if (planned.empty() || place.lead_first >= end_of(planned.back())) planned.push_back(place);
  }
  return planned;
}

}  // namespace kjoule
