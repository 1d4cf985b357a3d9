#pragma once
#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// The code from which a recording was made. Program and model are empty for a simulated device.
struct RecordedCode {
  std::vector<std::string> program;  ///< command line
  std::string model;                 ///< file
  bool attached = false;             ///< whether the program ran already: nothing was started

  bool is_program() const { return !program.empty() || attached; }
};

/// Returns the code that a recording names. A recording is data: the code may only run after the user has
/// confirmed it. Throws Error, which names `file`, if the recording does not say what it was made from.
RecordedCode recorded_code(const Recording& recording, const std::string& file);

/// Sets options that were not given to those of the recording `options.recording`, except the code. Given
/// options stay, because a model may have moved, and threads belong to the run. If the program no longer does
/// what was recorded, an error follows when it is recorded. Throws Error if the recording names code, but
/// `options` do not.
void take_recorded_options(const Recording& recording, SubjectOptions& options);

}  // namespace kjoule
