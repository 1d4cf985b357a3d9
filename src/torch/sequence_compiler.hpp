#pragma once
#include <vector>

#include "device/device.hpp"
#include "torch/recorded_program.hpp"

namespace kjoule::runner {

/// Connects the position of a tensor with a slot. A slot keeps a result that later calls need.
struct Feed {
  Position position;
  int slot;
};

/// A call in a compiled sequence.
struct ReplayStep {
  LaunchIndex launch = 0;
  int segment = 0;
  bool timed = false;
  /// Whether a span of calls begins, or ends, at this call. A span is timed by one pair of clock readings:
  /// all its calls are in one segment, are all timed or all untimed, and no memory is restored between them.
  bool starts_span = true;
  bool ends_span = true;
  std::vector<const StorageVersion*> restores;  ///< versions of memory that are restored before the call
  std::vector<Feed> feeds;                      ///< arguments that are taken from slots
  std::vector<Feed> takes;                      ///< results that are put into slots
  std::vector<int> frees;                       ///< slots that are no longer needed after the call
};

/// A sequence that is compiled for replay.
struct CompiledSequence {
  std::vector<ReplayStep> steps;
  /// Versions of memory that are restored after the last call, so that the sequence can be replayed again.
  std::vector<const StorageVersion*> final_restores;
  int slots = 0;
};

/// Compiles a sequence: determines the origin of every argument and the memory to restore once, so that a
/// replay need not determine them.
///
/// A call receives as argument the latest result that has the argument's value id, if the memory of this
/// result has been written as often as it had been when the argument was recorded. Otherwise the call
/// receives the recorded contents. A slot is emptied after the last use of its result.
CompiledSequence compile_sequence(const RecordedProgram& program, const Sequence& sequence);

}  // namespace kjoule::runner
