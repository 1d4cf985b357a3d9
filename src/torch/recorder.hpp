#pragma once
#include <functional>

#include "torch/recorded_program.hpp"

namespace kjoule::runner {

/// Records the ATen operators that the dispatcher sees in `iteration`, with their arguments at the time of
/// each call. The iteration runs twice: the first run finds what each call writes, as schemas do not declare
/// every write, and the second run is kept. Throws Error if the two runs differ in their calls.
RecordedProgram record_program(const std::function<void()>& iteration);

/// Runs `iteration` so that a profiler sees each operator's own arguments. Without this, it sees all values
/// on the stack of TorchScript's interpreter as arguments of the operators that the interpreter calls. Each
/// operator causes two events; the inner one has the right arguments.
void run_with_own_arguments(const std::function<void()>& iteration);

}  // namespace kjoule::runner
