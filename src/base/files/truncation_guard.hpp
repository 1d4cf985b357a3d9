#pragma once
#include <cstddef>
#include <string>

namespace kjoule {

/// Guards a mapped file that another process may truncate. If it does, reading the lost bytes ends this
/// process with an error that names the file; without the guard, SIGBUS would end it. Only the file of the
/// last call is guarded.
void guard_against_truncation(const char* mapped, size_t size, const std::string& file);
/// Ends the guard of this mapping. Call it before the mapping is removed.
void end_truncation_guard(const char* mapped);

}  // namespace kjoule
