#pragma once
#include <functional>

#include "torch/recorded.hpp"

namespace kjoule::child {

/// Runs `iteration` and keeps every ATen operator that the dispatcher sees, with its arguments as they were.
/// Runs it twice: first to find what each call really writes (schemas do not name every write), then to keep
/// it. Throws Error when the two runs differ in their calls.
RecordedProgram record_program(const std::function<void()>& iteration);

/// Runs `iteration` so that a profiler sees of each operator its own arguments: of those that TorchScript's
/// interpreter calls it would see all values that wait on the interpreter's stack. The innermost of two
/// events of one operator has them.
void run_with_own_arguments(const std::function<void()>& iteration);

}  // namespace kjoule::child
