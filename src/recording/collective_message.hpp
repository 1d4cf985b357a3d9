#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/json/json_fields.hpp"

namespace kjoule {

/// A message of a collective or of a send or receive, as a rank passes it to NCCL.
struct CollectiveMessage {
  std::string operation;      ///< NCCL's function: "ncclAllReduce", "ncclSend", ...
  uint64_t communicator = 0;  ///< hash of the communicator, equal on all its ranks
  /// Size of the data that the rank passes to the function. For ncclAllGather, ncclReduceScatter and
  /// ncclAlltoAll, this is the part of one rank.
  uint64_t bytes = 0;
  bool operator==(const CollectiveMessage&) const = default;
};

/// Returns the hash of a communicator in 16 hexadecimal digits.
inline std::string communicator_text(uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

// Conversion to and from messages and recordings (base/json/json_fields). The hash is a text, because it may
// be too large for the numbers of other readers of JSON.
template <class Fields>
void describe(Fields& fields, CollectiveMessage& message) {
  fields("operation", message.operation);
  fields.as("communicator", message.communicator, communicator_text,
            [](const std::string& text) { return static_cast<uint64_t>(std::stoull(text, nullptr, 16)); });
  fields("bytes", message.bytes);
}

}  // namespace kjoule
