#pragma once
#include "base/error.hpp"

namespace kjoule {

/// Reports the error of a program that kjoule started with work (kjoule-torch, kjoule-blas) and that cannot
/// do the work. kjoule receives the error as the answer to its greeting. If kjoule did not start the program,
/// or the injected library has already answered, the error is printed after the program's name.
void report_failure(const Error& error, const char* program);

}  // namespace kjoule
