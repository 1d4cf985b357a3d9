#include "cuda/driver/collective_messages.hpp"

#include <nvtx3/nvToolsExtPayload.h>

#include <cstring>
#include <utility>

namespace kjoule::cuda {

namespace {

/// The first fields of the payload of every NCCL function that sends or receives data (NCCL's
/// src/init_nvtx.cc registers them): the communicator's hash, and "Message size [bytes]".
struct MessagePayload {
  uint64_t communicator;
  uint64_t bytes;
};

/// The NCCL functions whose payloads begin with a MessagePayload.
constexpr std::string_view kFunctions[] = {
    "ncclAllGather", "ncclAllReduce", "ncclAlltoAll",      "ncclBroadcast", "ncclGather",
    "ncclRecv",      "ncclReduce",    "ncclReduceScatter", "ncclScatter",   "ncclSend"};

/// The messages of the thread's open NCCL functions; null if there are none. It is a pointer, because ranges
/// may end after the thread's objects were destroyed.
thread_local std::vector<CollectiveMessage>* messages = nullptr;
thread_local int open_groups = 0;

bool has_message(std::string_view function) {
  for (const std::string_view known : kFunctions)
    if (function == known) return true;
  return false;
}

}  // namespace

void begin_message_range(std::string_view name, const nvtxEventAttributes_t& attributes) {
  if (name == "ncclGroupStart") ++open_groups;
  if (!has_message(name) || attributes.payloadType != NVTX_PAYLOAD_TYPE_EXT) return;
  const auto* data = reinterpret_cast<const nvtxPayloadData_t*>(attributes.payload.ullValue);
  if (data == nullptr || data->payload == nullptr || data->size < sizeof(MessagePayload)) return;
  MessagePayload payload{};
  std::memcpy(&payload, data->payload, sizeof payload);
  if (messages == nullptr) messages = new std::vector<CollectiveMessage>;
  messages->push_back({std::string(name), payload.communicator, payload.bytes});
}

void end_message_range(std::string_view name) {
  if (name == "ncclGroupEnd" && open_groups > 0) --open_groups;
  if (open_groups == 0 && (name == "ncclGroupEnd" || has_message(name)))
    delete std::exchange(messages, nullptr);
}

std::vector<CollectiveMessage> messages_of_this_thread() {
  return messages == nullptr ? std::vector<CollectiveMessage>() : *messages;
}

}  // namespace kjoule::cuda
