#pragma once
#include "base/error.hpp"

namespace kjoule {

/// Reports why a program that kjoule started as work (kjoule-torch, kjoule-blas) could not run it. kjoule
/// takes the error as the answer to its greeting. If there is no kjoule, or if the injected library has
/// already answered, the error is printed, after the program's name.
void report_failure(const Error& error, const char* program);

}  // namespace kjoule
