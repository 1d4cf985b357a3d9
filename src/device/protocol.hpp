#pragma once
#include <nlohmann/json.hpp>
#include <optional>

#include "device/device.hpp"

namespace kjoule {

/// The version of the protocol. It increases whenever a message changes. Each end refuses a peer with another
/// version.
constexpr int kProtocolVersion = 18;

/// Sends one message: a 4-byte little-endian length, then CBOR. Throws Error if the peer is gone.
void send_message(int socket, const nlohmann::json& message);
/// Receives one message. Returns nothing if the peer closed the connection between two messages. Throws Error
/// if the connection ended within a message, or if the message's length or content is invalid.
std::optional<nlohmann::json> receive_message(int socket);

/// Returns the greeting, which is kjoule's first message. Its reply contains the number `id`.
nlohmann::json hello_message(uint64_t id);
/// Returns the message that refuses a process with a reason. The process does not reply to it.
nlohmann::json refusal_message(const Error& why);

/// Returns the error as a message with cause and remedy. The message of a DeviceError also contains `launch`
/// and `lost`.
nlohmann::json to_message(const Error& error);
/// Throws the Error or DeviceError that `message` contains.
[[noreturn]] void throw_from_message(const nlohmann::json& message);

}  // namespace kjoule
