#pragma once
#include <map>
#include <vector>

#include "cuda/replay/replay_context.hpp"

namespace kjoule::cuda {

/// The page copies of a track's marked launches, in one device buffer. The copies of a launch write the
/// contents that the launch leaves in its pages.
class MarkedOutputs {
 public:
  /// Creates an empty object, for work without marked launches.
  MarkedOutputs() = default;
  MarkedOutputs(const ReplayContext& context, const std::vector<LaunchIndex>& marked);
  void issue_outputs_of(const ReplayContext& context, LaunchIndex launch) const;

 private:
  struct Place {
    size_t first = 0;  ///< index of the first word in the buffer
    unsigned copies = 0;
  };

  std::map<LaunchIndex, Place> outputs_;
  Buffer buffer_;
};

}  // namespace kjoule::cuda
