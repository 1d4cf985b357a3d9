#pragma once
#include <map>
#include <vector>

#include "cuda/stage.hpp"

namespace kjoule::driver {

/// The page copies of a track's marked launches, in one device buffer. The copies of a launch write the
/// contents that this launch leaves.
class PlacedCopies {
 public:
  /// Contains no copies, for work without marked launches.
  PlacedCopies() = default;
  PlacedCopies(const Stage& stage, const std::vector<LaunchIndex>& marked);
  void issue_left_by(const Stage& stage, LaunchIndex launch) const;

 private:
  struct Place {
    size_t first = 0;  ///< index of the first word in the buffer
    unsigned copies = 0;
  };

  std::map<LaunchIndex, Place> left_;
  Buffer buffer_;
};

}  // namespace kjoule::driver
