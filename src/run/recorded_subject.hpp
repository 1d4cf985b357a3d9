#pragma once
#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// The program or model from which a recording was made. Both are empty for a simulated device.
struct RecordedCode {
  std::vector<std::string> program;  ///< command line
  std::string model;                 ///< path of the model's file
  bool attached = false;             ///< whether kjoule attached to a running program (--attach)

  bool is_program() const { return !program.empty() || attached; }
};

/// Returns the program or model from which a recording was made. A recording may come from another person, so
/// run its program only after the user has confirmed it. Throws Error, which names `file`, if the recording
/// names neither program nor model.
RecordedCode recorded_code(const Recording& recording, const std::string& file);

/// Sets each option that the user did not give, except program and model, to its value in `recording`, which
/// is the recording `options.recording`. Options that the user gave are kept. This function does not check
/// whether the program still has the recorded launches; that is checked when the program is recorded again.
/// Throws Error if the recording names a program or model, but `options` do not.
void take_recorded_options(const Recording& recording, SubjectOptions& options);

}  // namespace kjoule
