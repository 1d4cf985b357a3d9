#pragma once
#include <exception>

#include "base/error.hpp"

namespace kjoule {

/// Returns what is reported of an exception: of an Error itself, of others an Error that says what happened
/// in kjoule's words. The texts of libraries name neither cause nor remedy.
Error fault_of(const std::exception& exception);

/// Ends the process with 1 after one line about the exception that nobody can catch, for example because it
/// was thrown while memory ran out and another one was handled. For std::set_terminate().
[[noreturn]] void end_by_fault() noexcept;

}  // namespace kjoule
