#pragma once
#include <memory>

#include "device/runner_work.hpp"

namespace kjoule::runner {

/// The process group by which the ranks of a model communicate on the CPU: gloo, under the name "0" that
/// PyTorch gives to the default group. Models find it by this name (_c10d_functional::all_reduce and others).
/// Each collective returns when it is complete, so that its time contains waiting and transfer, and its
/// results can be read.
class GlooGroup {
 public:
  /// Joins the group. Returns when all ranks have joined; throws Error if they do not within a minute.
  explicit GlooGroup(const RankOfModel& rank);
  ~GlooGroup();
  GlooGroup(const GlooGroup&) = delete;
  GlooGroup& operator=(const GlooGroup&) = delete;

 private:
  struct Group;
  std::unique_ptr<Group> group_;  ///< PyTorch only refers to it
};

}  // namespace kjoule::runner
