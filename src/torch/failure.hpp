#pragma once
#include <exception>
#include <string>

#include "base/error.hpp"

namespace kjoule::runner {

/// Returns the cause of an exception in one line, without the interpreter's traceback.
std::string reason(const std::exception& error);

/// Returns whether an exception means that memory ran out. For the CPU, libtorch has no exception type for
/// this case; allocators, mappings and the interpreter use different texts, which are compared.
bool is_out_of_memory(const std::exception& error);

/// Returns an Error with a remedy for an exception of another type.
Error explain(const std::exception& error);

/// The remedy if memory runs out.
inline constexpr const char* kNeedLessMemory =
    "close other programs, use a smaller --batch or --seq-len, or export a smaller model";

}  // namespace kjoule::runner
