#pragma once
#include <nlohmann/json.hpp>
#include <optional>

#include "device/device.hpp"

namespace kjoule {

/// Raised whenever a message changes; the two ends refuse to talk across versions.
constexpr int kProtocolVersion = 8;

/// One message: a 4-byte little-endian length, then CBOR. Throws Error when the peer is gone or the frame is
/// absurd.
void send_message(int socket, const nlohmann::json& message);
/// Nothing when the peer closed the connection between two messages.
std::optional<nlohmann::json> receive_message(int socket);

/// What kjoule says first, under that number.
nlohmann::json hello(uint64_t id);
/// To a process that is not the one to be measured; has no number and no reply.
nlohmann::json refusal(const Error& why);

/// A DeviceError keeps its launch; any other Error becomes cause and remedy.
nlohmann::json to_message(const Error& error);
[[noreturn]] void throw_from_message(const nlohmann::json& message);

}  // namespace kjoule
