#pragma once
#include <nvtx3/nvToolsExt.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule::driver {

/// What hears of the program's NVTX ranges: those that a thread pushes and pops, and those that begin in one
/// place and end in another, of all domains.
struct RangeListener {
  std::function<void(std::string_view name)> begins;
  std::function<void(std::string_view name)> ends;
};

/// Before the first hook.
void listen_to_ranges(RangeListener listener);
/// For each copy of NVTX that the program has; called by NVTX itself.
void hook_ranges(NvtxGetExportTableFunc_t export_table);
/// Names of the ranges that this thread has pushed and not popped yet, outermost first.
const std::vector<std::string>& ranges_of_this_thread();

}  // namespace kjoule::driver
