#include "recording/loop_delimiter.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/numbers/statistics.hpp"

namespace kjoule {
namespace {

/// The places of the launches of one shape.
struct ShapePlaces {
  std::vector<size_t> places;   ///< index of the launch in each iteration so far
  bool is_once_in_each = true;  ///< whether each iteration so far contains it exactly once
};

std::unordered_map<uint64_t, ShapePlaces> places_of(std::span<const WatchedLaunch> launches,
                                                    const std::vector<uint64_t>& begins) {
  std::unordered_map<uint64_t, ShapePlaces> shapes;
  for (size_t iteration = 0; iteration + 1 < begins.size(); ++iteration)
    for (size_t at = begins[iteration]; at < begins[iteration + 1]; ++at) {
      ShapePlaces& shape = shapes[launches[at].shape_hash];
      shape.is_once_in_each &= shape.places.size() == iteration;
      if (shape.is_once_in_each) shape.places.push_back(at);
    }
  return shapes;
}

int64_t median_pause_ns(std::span<const WatchedLaunch> launches, const std::vector<size_t>& places) {
  std::vector<double> pauses;
  for (const size_t at : places)
    if (at > 0) pauses.push_back(static_cast<double>(launches[at].time_ns - launches[at - 1].time_ns));
  return pauses.empty() ? 0 : static_cast<int64_t>(median(pauses));
}

}  // namespace

std::optional<LoopDelimiter> find_delimiter(std::span<const WatchedLaunch> launches,
                                            const std::vector<uint64_t>& begins) {
  std::optional<LoopDelimiter> best;
  for (auto& [_, shape] : places_of(launches, begins)) {
    std::vector<size_t>& places = shape.places;
    if (!shape.is_once_in_each || places.size() + 1 != begins.size()) continue;
    const int64_t pause_ns = median_pause_ns(launches, places);
    if (best && std::pair(pause_ns, best->places.front()) <= std::pair(best->pause_ns, places.front()))
      continue;
    best = LoopDelimiter{std::move(places), pause_ns};
  }
  return best;
}

}  // namespace kjoule
