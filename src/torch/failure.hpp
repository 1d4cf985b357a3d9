#pragma once
#include <exception>
#include <string>

#include "base/error.hpp"

namespace kjoule::child {

/// What went wrong, in one line. The interpreter puts a traceback before it, which is left out.
std::string reason(const std::exception& error);

/// libtorch has no type of its own for it on the CPU: allocators, mappings and the interpreter each say it
/// in their words.
bool is_out_of_memory(const std::exception& error);

/// An exception that is not ours, as something the user can act on.
Error explained(const std::exception& error);

/// What to do when memory runs out.
inline constexpr const char* kNeedLessMemory =
    "close other programs, use a smaller --batch or --seq-len, or export a smaller model";

}  // namespace kjoule::child
