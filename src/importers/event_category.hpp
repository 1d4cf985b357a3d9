#pragma once
#include <string_view>

#include "recording/activity.hpp"

namespace kjoule {

/// What the events of a category are.
enum class EventSort {
  operation,      ///< kernel, copy or memset on the device
  call,           ///< call of the runtime or driver on the host
  cpu_operator,   ///< operator such as aten::addmm
  range,          ///< named range that the program set
  library_range,  ///< named range that a library set
  other,          ///< known, but not needed
  unknown
};

struct EventCategory {
  EventSort sort = EventSort::unknown;
  ActivityKind kind = ActivityKind::kernel;  ///< of operations
};

/// Category of the NVTX ranges of libraries, such as cuBLAS, in the text that is made of a database of Nsight
/// Systems.
inline constexpr const char* kLibraryRange = "library_range";

/// Returns what the events of a category are. Tools spell the same category differently ("kernel", "Kernel",
/// "GPU kernel", "cuda_kernel"): letter case, spaces and the name of the platform do not matter.
EventCategory category_named(std::string_view category);

}  // namespace kjoule
