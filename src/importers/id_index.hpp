#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace kjoule {

/// Finds objects by their ids. Objects without an id are not found.
class IdIndex {
 public:
  /// `id` returns the id of an object as int64_t or std::optional<int64_t>.
  template <class Things, class Id>
  IdIndex(const Things& things, Id id) {
    entries_.reserve(things.size());
    for (uint32_t i = 0; i < things.size(); ++i)
      if (const std::optional<int64_t> of = id(things[i])) entries_.push_back({*of, i});
    if (!std::is_sorted(entries_.begin(), entries_.end())) std::sort(entries_.begin(), entries_.end());
  }
  /// Returns the first object with an id.
  std::optional<uint32_t> find(std::optional<int64_t> id) const {
    return find_if(id, [](uint32_t) { return true; });
  }
  /// Returns the first object with an id that meets a condition. Examines at most kMostEqual objects.
  template <class Condition>
  std::optional<uint32_t> find_if(std::optional<int64_t> id, Condition meets) const {
    if (!id) return {};
    auto at = std::lower_bound(entries_.begin(), entries_.end(), Entry{*id, 0});
    for (size_t i = 0; i < kMostEqual && at != entries_.end() && at->first == *id; ++i, ++at)
      if (meets(at->second)) return at->second;
    return {};
  }
  /// Calls take(first, other) for each object whose id an earlier object (`first`) has, too.
  template <class Take>
  void each_repeated(Take take) const {
    for (size_t i = 1, first = 0; i < entries_.size(); ++i)
      if (entries_[i].first == entries_[first].first)
        take(entries_[first].second, entries_[i].second);
      else
        first = i;
  }

 private:
  using Entry = std::pair<int64_t, uint32_t>;
  static constexpr size_t kMostEqual = 64;

  std::vector<Entry> entries_;
};

}  // namespace kjoule
