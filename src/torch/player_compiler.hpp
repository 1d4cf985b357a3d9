#pragma once
#include <vector>

#include "device/device.hpp"
#include "torch/recorded.hpp"

namespace kjoule::child {

/// A tensor position joined to a slot that holds a live result.
struct Feed {
  Position position;
  int slot;
};

/// One call of a compiled sequence.
struct PlayStep {
  LaunchIndex launch = 0;
  int segment = 0;
  bool timed = false;
  /// A stretch is what is timed by one pair of clock readings: calls of one segment and kind with nothing to
  /// put back between.
  bool starts_stretch = true;
  bool ends_stretch = true;
  std::vector<const StorageVersion*> put_back;  ///< before the call
  std::vector<Feed> feeds;                      ///< arguments taken from slots
  std::vector<Feed> takes;                      ///< results kept in slots
  std::vector<int> frees;                       ///< slots that die after the call
};

struct Compiled {
  std::vector<PlayStep> steps;
  std::vector<const StorageVersion*>
      put_back_last;  ///< after the last call, so that the sequence can be played again
  int slots = 0;
};

/// Works out feeding and putting back once, so that playing does nothing but play.
///
/// An argument is fed by the latest result with its value id, provided that the memory behind it has been
/// written as often as when it was recorded; otherwise the call gets the recorded contents. A result dies at
/// its last use.
Compiled compile(const RecordedProgram& program, const Sequence& sequence);

}  // namespace kjoule::child
