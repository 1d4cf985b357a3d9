#pragma once

namespace kjoule {

/// Remedy of an error that only a bug in kjoule can cause.
inline constexpr const char* kBugRemedy =
    "this is a bug in kjoule; please report it with the command and its files";

}  // namespace kjoule
