#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "recording/activity.hpp"
#include "recording/sequence_match.hpp"

namespace kjoule {
namespace {

/// One stream's launches and activities, as indices into the two lists.
struct Stream {
  std::vector<size_t> launches, activities;
};

/// Numbers operations: operations that the audit treats as equal have the same number.
class Identities {
 public:
  template <class Operation>
  uint32_t of(const Operation& operation, bool with_bytes) {
    const bool kernel = operation.kind == ActivityKind::kernel;
    const auto key = std::tuple(operation.kind, kernel ? readable_name(operation.name) : std::string(),
                                with_bytes ? operation.bytes : 0, operation.graph_node);
    return numbers_.emplace(key, static_cast<uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::tuple<ActivityKind, std::string, uint64_t, uint64_t>, uint32_t> numbers_;
};

class Comparer {
 public:
  Comparer(const std::vector<RecordedOperation>& launches, const std::vector<Activity>& activities)
      : launches_(launches), activities_(activities) {
    const auto unknown = [](const auto& operation) {
      return operation.kind != ActivityKind::kernel && operation.bytes == 0;
    };
    const bool with_bytes = std::none_of(launches.begin(), launches.end(), unknown) &&
                            std::none_of(activities.begin(), activities.end(), unknown);
    for (size_t i = 0; i < launches.size(); ++i) {
      launch_identity_.push_back(identities_.of(launches[i], with_bytes));
      (launches[i].graph_node == 0 ? streams_[launches[i].stream] : graphs_).launches.push_back(i);
    }
    for (size_t i = 0; i < activities.size(); ++i) {
      activity_identity_.push_back(identities_.of(activities[i], with_bytes));
      (activities[i].graph_node == 0 ? streams_[activities[i].stream] : graphs_).activities.push_back(i);
    }
  }

  std::vector<std::string> differences() {
    for (auto& [id, stream] : streams_) compare(stream);
    compare_nodes();
    pair_left_over(true);
    pair_left_over(false);
    for (const size_t i : lone_launches_)
      add_difference(launches_[i].stream, i, launch_text(i) + " is missing in the device's list");
    for (const size_t i : lone_activities_)
      add_difference(activities_[i].stream, launches_.size() + i,
                     activity_text(i) + " is missing in the recording");
    for (size_t i = 0; i < activities_.size(); ++i) {
      if (!activities_[i].has_times())
        add_difference(activities_[i].stream, launches_.size() + i,
                       activity_text(i) + " has no times in the device's list");
    }
    std::vector<std::string> lines;
    for (const auto& [place, text] : differences_) lines.push_back(text);
    return lines;
  }

 private:
  void compare(Stream& stream) {
    std::stable_sort(stream.activities.begin(), stream.activities.end(),
                     [&](size_t a, size_t b) { return activities_[a].begin_ns < activities_[b].begin_ns; });
    std::vector<uint32_t> a, b;
    for (const size_t i : stream.launches) a.push_back(launch_identity_[i]);
    for (const size_t i : stream.activities) b.push_back(activity_identity_[i]);
    std::set<size_t> lone_launches(stream.launches.begin(), stream.launches.end());
    std::set<size_t> lone_activities(stream.activities.begin(), stream.activities.end());
    for (const auto& [i, k] : match_sequences(a, b)) {
      lone_launches.erase(stream.launches[i]);
      lone_activities.erase(stream.activities[k]);
    }
    lone_launches_.merge(lone_launches);
    lone_activities_.merge(lone_activities);
  }

  /// Matches the nodes of CUDA graphs by their ids, because the graph determines their streams and order.
  void compare_nodes() {
    std::multimap<uint32_t, size_t> waiting;
    for (const size_t i : graphs_.activities) waiting.emplace(activity_identity_[i], i);
    for (const size_t i : graphs_.launches) {
      const auto alike = waiting.find(launch_identity_[i]);
      if (alike == waiting.end())
        lone_launches_.insert(i);
      else
        waiting.erase(alike);
    }
    for (const auto& [identity, i] : waiting) lone_activities_.insert(i);
  }

  /// Pairs equal launches and activities that were not matched in order, so that each pair is one difference
  /// instead of two.
  void pair_left_over(bool same_stream) {
    std::map<std::pair<uint32_t, uint64_t>, std::vector<size_t>> waiting;
    const auto key = [&](uint32_t identity, uint64_t stream) {
      return std::pair(identity, same_stream ? stream : 0);
    };
    const std::vector<size_t> latest_first(lone_activities_.rbegin(), lone_activities_.rend());
    for (const size_t i : latest_first)
      waiting[key(activity_identity_[i], activities_[i].stream)].push_back(i);
    for (auto i = lone_launches_.begin(); i != lone_launches_.end();) {
      std::vector<size_t>& alike = waiting[key(launch_identity_[*i], launches_[*i].stream)];
      if (alike.empty()) {
        ++i;
        continue;
      }
      add_difference(launches_[*i].stream, *i,
                     launch_text(*i) + (same_stream ? " ran in another order than recorded"
                                                    : fmt::format(" ran on stream {} instead",
                                                                  activities_[alike.back()].stream)));
      lone_activities_.erase(alike.back());
      alike.pop_back();
      i = lone_launches_.erase(i);
    }
  }

  template <class Operation>
  static std::string text(const Operation& operation) {
    const bool kernel = operation.kind == ActivityKind::kernel;
    std::string words = kernel ? readable_name(operation.name) : activity_kind_name(operation.kind);
    if (!kernel && operation.bytes > 0) words += fmt::format(" of {} bytes", operation.bytes);
    if (operation.graph_node != 0) words += fmt::format(", graph node {}", operation.graph_node);
    return words;
  }
  std::string launch_text(size_t i) const { return fmt::format("launch {} ({})", i, text(launches_[i])); }
  std::string activity_text(size_t i) const {
    return fmt::format("activity {} ({})", i, text(activities_[i]));
  }
  void add_difference(uint64_t stream, size_t place, const std::string& what) {
    differences_.emplace(std::pair(stream, place), fmt::format("stream {}: {}", stream, what));
  }

  const std::vector<RecordedOperation>& launches_;
  const std::vector<Activity>& activities_;
  Identities identities_;
  std::vector<uint32_t> launch_identity_, activity_identity_;
  std::map<uint64_t, Stream> streams_;
  Stream graphs_;
  std::set<size_t> lone_launches_, lone_activities_;
  std::multimap<std::pair<uint64_t, size_t>, std::string> differences_;  ///< by stream and place
};

}  // namespace

Audit audit(const std::vector<RecordedOperation>& launches, const std::vector<Activity>& activities) {
  Audit result;
  result.launches = launches.size();
  result.activities = activities.size();
  result.differences = Comparer(launches, activities).differences();
  result.differences_found = result.differences.size();
  if (result.differences_found > Audit::kMostListed) {
    result.differences.resize(Audit::kMostListed);
    result.differences.push_back(
        fmt::format("and {} more differences", result.differences_found - Audit::kMostListed));
  }
  return result;
}

}  // namespace kjoule
