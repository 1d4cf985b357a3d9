#include "recording/loop_delimiter.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

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

}  // namespace

std::optional<LoopDelimiter> find_delimiter(std::span<const WatchedLaunch> launches,
                                            const std::vector<uint64_t>& begins) {
  std::optional<LoopDelimiter> best;
  for (auto& [_, shape] : places_of(launches, begins)) {
    std::vector<size_t>& places = shape.places;
    if (!shape.is_once_in_each || places.size() + 1 != begins.size()) continue;
    const HostPause pause = find_pause(launches, places);
    if (best && std::pair(pause, best->places.front()) <= std::pair(best->pause, places.front())) continue;
    best = LoopDelimiter{std::move(places), pause};
  }
  return best;
}

}  // namespace kjoule
