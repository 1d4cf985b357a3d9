#pragma once
#include <string>

namespace kjoule {

/// Name of the environment variable that contains the mark. Every program that this process starts has it.
inline constexpr const char* kRunMark = "KJOULE_RUN";

/// Returns the mark of this run of kjoule, 16 random hex digits. Everything that has to end with kjoule
/// carries it: programs and what they start in their environment, temporary folders in their names.
const std::string& run_mark();

}  // namespace kjoule
