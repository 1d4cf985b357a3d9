#pragma once
#include "base/error.hpp"

namespace kjoule {

/// Reports that `program` (kjoule-torch or kjoule-blas) cannot do the work for which kjoule started it. The
/// error is sent to kjoule as the answer to the greeting. If kjoule did not start the program, or the
/// injected library has answered the greeting already, the error is printed after the program's name.
void report_failure(const Error& error, const char* program);

}  // namespace kjoule
