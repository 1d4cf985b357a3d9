#pragma once
#include <exception>

#include "base/error.hpp"

namespace kjoule {

/// Returns the Error to report for an exception. An Error is returned unchanged; for any other exception,
/// whose text comes from a library, returns an Error with cause and remedy in kjoule's words.
Error fault_of(const std::exception& exception);

/// Prints one line about the current exception, and ends the process with exit code 1. It is meant for
/// std::set_terminate(), which is called for exceptions that no code catches.
[[noreturn]] void end_by_fault() noexcept;

}  // namespace kjoule
