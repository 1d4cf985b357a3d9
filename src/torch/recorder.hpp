#pragma once
#include <functional>

#include "torch/recorded_program.hpp"

namespace kjoule::runner {

/// Records the ATen operators that pass through the dispatcher in `iteration`, with their arguments at the
/// time of each call. The iteration runs twice: the first run finds which storages each call writes, because
/// schemas do not declare every write; the second run is recorded. Throws Error if the calls of the two runs
/// differ.
RecordedProgram record_program(const std::function<void()>& iteration);

/// Runs `iteration` so that a profiler sees each operator's own arguments. Without this function, a profiler
/// sees all values on the stack of TorchScript's interpreter as arguments of an operator that the interpreter
/// calls. With it, each operator causes two nested events; the inner event has the right arguments.
void run_with_own_arguments(const std::function<void()>& iteration);

}  // namespace kjoule::runner
