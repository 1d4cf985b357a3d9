#pragma once
#include <exception>

#include "base/error.hpp"

namespace kjoule {

/// Returns the Error that is reported for an exception: an Error itself; for any other exception, an Error
/// with a cause and remedy in kjoule's words, which the texts of libraries lack.
Error fault_of(const std::exception& exception);

/// Prints one line about the current exception, which nobody can catch, and ends the process with 1. Such an
/// exception is, for example, thrown while another one is handled. For std::set_terminate().
[[noreturn]] void end_by_fault() noexcept;

}  // namespace kjoule
