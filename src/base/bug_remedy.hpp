#pragma once

namespace kjoule {

/// The remedy of errors that only a bug in kjoule can cause.
inline constexpr const char* kBugRemedy =
    "this is a bug in kjoule; please report it with the command and its files";

}  // namespace kjoule
