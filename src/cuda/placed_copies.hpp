#pragma once
#include <map>
#include <vector>

#include "cuda/stage.hpp"

namespace kjoule::driver {

/// The lists of page copies that a track's graph needs, in one piece of device memory: one that restores the
/// memory after whole iterations, and one for each marked launch, of what it leaves.
class PlacedCopies {
 public:
  /// Holds none, for work that restores nothing.
  PlacedCopies() = default;
  explicit PlacedCopies(const Stage& stage, const std::vector<LaunchIndex>& marked = {});
  void issue_restore(const Stage& stage) const { issue(stage, restore_); }
  void issue_left_by(const Stage& stage, LaunchIndex launch) const { issue(stage, left_.at(launch)); }

 private:
  struct Place {
    size_t first = 0;  ///< of its words
    unsigned copies = 0;
  };
  void issue(const Stage& stage, const Place& place) const;

  Place restore_;
  std::map<LaunchIndex, Place> left_;
  Buffer buffer_;
};

}  // namespace kjoule::driver
