#pragma once
#include <string>

namespace kjoule {

/// The environment variable that contains the mark. Every program that this process starts has it.
inline constexpr const char* kRunMark = "KJOULE_RUN";

/// Returns the mark of this run of kjoule, 16 random hex digits. By this mark, the guardian finds the
/// processes to end, which have the mark in their environment, and the temporary folders to remove, which
/// have it in their names.
const std::string& run_mark();

}  // namespace kjoule
