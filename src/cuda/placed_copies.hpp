#pragma once
#include <map>
#include <vector>

#include "cuda/stage.hpp"

namespace kjoule::driver {

/// The lists of page copies that stand for a track's marked launches, in one piece of device memory: one for
/// each launch, of what it leaves.
class PlacedCopies {
 public:
  /// Holds none, for work without marked launches.
  PlacedCopies() = default;
  PlacedCopies(const Stage& stage, const std::vector<LaunchIndex>& marked);
  void issue_left_by(const Stage& stage, LaunchIndex launch) const;

 private:
  struct Place {
    size_t first = 0;  ///< of its words
    unsigned copies = 0;
  };

  std::map<LaunchIndex, Place> left_;
  Buffer buffer_;
};

}  // namespace kjoule::driver
