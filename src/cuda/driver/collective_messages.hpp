#pragma once
#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "recording/collective_message.hpp"

namespace kjoule::cuda {

/// Reads the messages that NCCL announces with the payloads of its NVTX ranges (domain "NCCL", NCCL 2.18 and
/// later). Called when this thread begins a range.
void begin_message_range(std::string_view name, const nvtxEventAttributes_t& attributes);
/// Called when this thread ends a range. After the end of an NCCL function outside of a group, and of the
/// outermost group, the thread has no messages any more.
void end_message_range(std::string_view name);
/// Returns the messages of the NCCL function or group that this thread has called and that has not returned
/// yet: those of the kernel that this thread launches. Empty in other functions.
std::vector<CollectiveMessage> messages_of_this_thread();

}  // namespace kjoule::cuda
