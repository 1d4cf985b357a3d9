#pragma once
#include <cstddef>
#include <string>

namespace kjoule {

/// Guards a mapped file against truncation by another process. If the file was truncated, reading the lost
/// bytes ends this process with an error message that names `file`; without the guard, SIGBUS would end this
/// process without a message. A further call replaces the guarded file.
void guard_against_truncation(const char* mapped, size_t size, const std::string& file);
/// Ends the guard of this mapping. Call it before the mapping is removed.
void end_truncation_guard(const char* mapped);

}  // namespace kjoule
