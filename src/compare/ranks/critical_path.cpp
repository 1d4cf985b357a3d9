#include "compare/ranks/critical_path.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace kjoule {

namespace {

/// A launch on a timeline.
struct Place {
  uint32_t rank = 0, launch = 0;
};

class PathWalk {
 public:
  explicit PathWalk(const std::vector<std::vector<PathLaunch>>& ranks)
      : ranks_(ranks), by_end_(ranks.size()), is_passed_(ranks.size()) {
    for (uint32_t rank = 0; rank < ranks.size(); ++rank) add(rank);
  }

  std::vector<PathStretch> path() {
    std::optional<Place> place = last();
    while (place && !is_passed_[place->rank][place->launch]) {
      if (path_.empty()) now_ns_ = at(*place).end_ns;
      place = pass(*place);
    }
    std::ranges::reverse(path_);
    return std::move(path_);
  }

 private:
  const PathLaunch& at(Place place) const { return ranks_[place.rank][place.launch]; }

  void add(uint32_t rank) {
    for (uint32_t launch = 0; launch < ranks_[rank].size(); ++launch) {
      by_end_[rank].push_back(launch);
      const PathLaunch& one = ranks_[rank][launch];
      if (!one.collective) continue;
      const Place place{rank, launch};
      const auto [last, is_first] = last_to_begin_.emplace(*one.collective, place);
      if (!is_first && one.begin_ns > at(last->second).begin_ns) last->second = place;
    }
    std::ranges::stable_sort(by_end_[rank], {}, [&](uint32_t one) { return ranks_[rank][one].end_ns; });
    is_passed_[rank].resize(ranks_[rank].size());
  }

  std::optional<Place> last() const {
    std::optional<Place> last;
    for (uint32_t rank = 0; rank < ranks_.size(); ++rank)
      if (!by_end_[rank].empty())
        if (const Place place{rank, by_end_[rank].back()}; !last || at(place).end_ns > at(*last).end_ns)
          last = place;
    return last;
  }

  /// Adds the stretch before now_ns_, and sets now_ns_ to its begin.
  void add_stretch(Place place, PathPart part, int64_t begin_ns) {
    if (begin_ns >= now_ns_) return;
    path_.push_back({place.rank, place.launch, part, begin_ns, now_ns_});
    now_ns_ = begin_ns;
  }

  /// Adds a launch and the time before it; returns what precedes it.
  std::optional<Place> pass(Place place) {
    is_passed_[place.rank][place.launch] = true;
    if (at(place).collective) {
      const Place last = last_to_begin_.at(*at(place).collective);
      add_stretch(place, at(place).part, at(last).begin_ns);
      place = last;
      is_passed_[place.rank][place.launch] = true;
    } else {
      add_stretch(place, at(place).part, at(place).begin_ns);
    }
    if (const auto cause = waited_for(place)) {
      add_stretch(place, PathPart::idle, at(*cause).end_ns);
      return cause;
    }
    const auto before = ended_before(place);
    if (before) add_stretch(place, PathPart::launch_gap, at(*before).end_ns);
    return before;
  }

  /// Returns the last of the launches that a launch waits for, if the host had launched it at its end.
  std::optional<Place> waited_for(Place place) const {
    std::optional<Place> last;
    for (const uint32_t launch : at(place).waits_for) {
      const Place one{place.rank, launch};
      if (!last || at(one).end_ns > at(*last).end_ns) last = one;
    }
    return last && at(place).call_ns <= at(*last).end_ns ? last : std::nullopt;
  }

  /// Returns the launch of the rank that ended last before a launch begins.
  std::optional<Place> ended_before(Place place) const {
    const auto& launches = ranks_[place.rank];
    const auto& by_end = by_end_[place.rank];
    auto later = std::ranges::upper_bound(by_end, at(place).begin_ns, {},
                                          [&](uint32_t one) { return launches[one].end_ns; });
    while (later != by_end.begin())
      if (const uint32_t before = *--later; before != place.launch) return Place{place.rank, before};
    return {};
  }

  const std::vector<std::vector<PathLaunch>>& ranks_;
  std::vector<std::vector<uint32_t>> by_end_;  ///< by rank: its launches in the order of their ends
  std::vector<std::vector<bool>> is_passed_;   ///< by rank and launch
  std::map<uint32_t, Place> last_to_begin_;    ///< by the number of the collective
  std::vector<PathStretch> path_;              ///< the last stretch first
  int64_t now_ns_ = 0;                         ///< begin of the path so far
};

}  // namespace

std::vector<PathStretch> critical_path(const std::vector<std::vector<PathLaunch>>& ranks) {
  return PathWalk(ranks).path();
}

}  // namespace kjoule
