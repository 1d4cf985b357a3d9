#pragma once
#include <string>

namespace kjoule {

/// The environment variable that contains the mark. Every program that this process starts has it.
inline constexpr const char* kRunMark = "KJOULE_RUN";

/// Returns the mark of this run of kjoule, 16 random hex digits, by which the guardian finds what it ends
/// or removes: programs and their descendants have it in their environment, temporary folders in their names.
const std::string& run_mark();

}  // namespace kjoule
