#include "recording/launch_match.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "base/json/whole_number.hpp"
#include "recording/sequence_match.hpp"

namespace kjoule {
namespace {

/// Indices into the lists of launches or activities, by stream.
using Streams = std::map<uint64_t, std::vector<size_t>>;
using Pairs = std::vector<std::pair<size_t, size_t>>;

ActivityKind kind_of(const Launch& launch) {
  if (launch.tier == Tier::cuda_runtime && launch.name.starts_with("memcpy")) return ActivityKind::memcpy;
  if (launch.tier == Tier::cuda_runtime && launch.name.starts_with("memset")) return ActivityKind::memset;
  return ActivityKind::kernel;
}

uint64_t stream_of(const Launch& launch) {
  return launch.detail.is_object() ? whole_number_or<uint64_t>(launch.detail, "stream", 0) : 0;
}

/// Numbers operations: those of equal kind and, for kernels, equal name have the same number.
class MatchIdentities {
 public:
  uint32_t of(ActivityKind kind, const std::string& name) {
    const auto key = std::pair(kind, kind == ActivityKind::kernel ? readable_name(name) : std::string());
    return numbers_.emplace(key, static_cast<uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::pair<ActivityKind, std::string>, uint32_t> numbers_;
};

class Matcher {
 public:
  Matcher(const Recording& recording, const std::vector<Activity>& activities) : matched_(activities.size()) {
    for (const Launch& launch : recording.launches) {
      launch_streams_[stream_of(launch)].push_back(launches_.size());
      launches_.push_back(identities_.of(kind_of(launch), launch.name));
    }
    for (const Activity& activity : activities) {
      activity_streams_[activity.stream].push_back(activities_.size());
      activities_.push_back(identities_.of(activity.kind, activity.name));
    }
    const auto earlier = [&](size_t a, size_t b) { return activities[a].begin_ns < activities[b].begin_ns; };
    for (auto& [stream, places] : activity_streams_) std::stable_sort(places.begin(), places.end(), earlier);
  }

  std::vector<std::optional<LaunchIndex>> match() {
    match_streams();
    match_left_over();
    return std::move(matched_);
  }

 private:
  /// Pairs the recording's streams with the device's, which are numbered differently: those with the most
  /// operations in common belong together.
  void match_streams() {
    struct Candidate {
      uint64_t launches = 0, activities = 0;
      Pairs pairs;
    };
    std::vector<Candidate> candidates;
    for (const auto& [launches, launch_places] : launch_streams_)
      for (const auto& [activities, activity_places] : activity_streams_)
        candidates.push_back({launches, activities, in_common(launch_places, activity_places)});
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.pairs.size() > b.pairs.size(); });
    std::set<uint64_t> launches_taken, activities_taken;
    for (const Candidate& candidate : candidates) {
      if (launches_taken.contains(candidate.launches) || activities_taken.contains(candidate.activities))
        continue;
      launches_taken.insert(candidate.launches);
      activities_taken.insert(candidate.activities);
      for (const auto& [launch, activity] : candidate.pairs) take(launch, activity);
    }
  }

  Pairs in_common(const std::vector<size_t>& launches, const std::vector<size_t>& activities) const {
    std::vector<uint32_t> a, b;
    for (const size_t launch : launches) a.push_back(launches_[launch]);
    for (const size_t activity : activities) b.push_back(activities_[activity]);
    Pairs pairs;
    for (const auto& [i, k] : match_sequences(a, b)) pairs.emplace_back(launches[i], activities[k]);
    return pairs;
  }

  void match_left_over() {
    std::map<uint32_t, std::deque<size_t>> waiting;
    for (size_t launch = 0; launch < launches_.size(); ++launch)
      if (!taken_.contains(launch)) waiting[launches_[launch]].push_back(launch);
    for (size_t activity = 0; activity < activities_.size(); ++activity) {
      std::deque<size_t>& alike = waiting[activities_[activity]];
      if (matched_[activity] || alike.empty()) continue;
      take(alike.front(), activity);
      alike.pop_front();
    }
  }

  void take(size_t launch, size_t activity) {
    matched_[activity] = static_cast<LaunchIndex>(launch);
    taken_.insert(launch);
  }

  MatchIdentities identities_;
  std::vector<uint32_t> launches_, activities_;  ///< numbers from identities_, by index
  Streams launch_streams_, activity_streams_;
  std::vector<std::optional<LaunchIndex>> matched_;
  std::set<size_t> taken_;
};

}  // namespace

std::vector<std::optional<LaunchIndex>> launches_of(const Recording& recording,
                                                    const std::vector<Activity>& activities) {
  return Matcher(recording, activities).match();
}

}  // namespace kjoule
