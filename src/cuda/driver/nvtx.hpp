#pragma once
#include <nvtx3/nvToolsExt.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule::cuda {

/// Callbacks for the program's NVTX ranges of all domains: push/pop ranges of a thread, and start/end ranges.
struct RangeListener {
  std::function<void(std::string_view name)> begins;
  std::function<void(std::string_view name)> ends;
};

/// Sets the listener; called when CUDA starts. Ranges before this call are ignored.
void listen_to_ranges(RangeListener listener);
/// Removes the listener; called in a process that was just forked.
void forget_ranges();
/// Redirects the range functions of one copy of NVTX to the listener. NVTX itself calls it, once for each
/// copy of NVTX in the program.
void hook_ranges(NvtxGetExportTableFunc_t export_table);
/// Returns the names of the ranges that this thread has pushed and not yet popped, outermost first.
std::vector<std::string> ranges_of_this_thread();

}  // namespace kjoule::cuda
