#include "importers/event_pairs.hpp"

#include <algorithm>
#include <tuple>

namespace kjoule {

namespace {

/// The number of open begins among which an end looks for its name.
constexpr size_t kMostOpen = 256;

/// Returns the index in `open` of the begin that an end belongs to; open.size() if there is none.
size_t place_of_begin(const std::vector<EventEdge>& edges, const std::vector<size_t>& open,
                      const EventEdge& end) {
  const size_t latest = open.empty() ? 0 : open.size() - 1;
  if (open.empty() || end.name.empty()) return latest;
  for (size_t back = 0; back < std::min(open.size(), kMostOpen); ++back)
    if (edges[open[latest - back]].name == end.name) return latest - back;
  return open.size();
}

}  // namespace

EventPairs pair_events(std::vector<EventEdge>& edges) {
  const auto earlier = [](const EventEdge& a, const EventEdge& b) {
    return std::tie(a.lane, a.at_ns) < std::tie(b.lane, b.at_ns);
  };
  if (!std::ranges::is_sorted(edges, earlier)) std::ranges::stable_sort(edges, earlier);
  EventPairs found;
  std::vector<size_t> open;
  const auto close_lane = [&] {
    found.without_end.insert(found.without_end.end(), open.begin(), open.end());
    open.clear();
  };
  for (size_t i = 0; i < edges.size(); ++i) {
    if (i > 0 && edges[i].lane != edges[i - 1].lane) close_lane();
    if (!edges[i].is_end) {
      open.push_back(i);
      continue;
    }
    const size_t place = place_of_begin(edges, open, edges[i]);
    if (place >= open.size()) continue;
    found.pairs.push_back({open[place], i});
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
  }
  close_lane();
  std::ranges::sort(found.pairs, {}, &EventPair::begin);
  return found;
}

}  // namespace kjoule
