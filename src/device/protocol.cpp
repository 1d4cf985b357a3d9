#include "device/protocol.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/bug_remedy.hpp"

namespace kjoule {

namespace {

constexpr uint32_t kLargestFrame = 1u << 30;
constexpr const char* kRepeatCommand = "repeat the command; with --resume, finished rows are kept";

void send_bytes(int socket, const uint8_t* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0)
      throw Error(std::string("the connection between kjoule and the measured process was lost: ") +
                      std::strerror(errno),
                  kRepeatCommand);
    data += sent;
    size -= static_cast<size_t>(sent);
  }
}

/// Reads until `size` bytes are read or the peer closes the connection. Returns the number of bytes read.
size_t receive_bytes(int socket, uint8_t* data, size_t size) {
  size_t got = 0;
  while (got < size) {
    const ssize_t read = ::recv(socket, data + got, size - got, 0);
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) break;
    got += static_cast<size_t>(read);
  }
  return got;
}

/// Receives a body of `size` bytes. Memory is allocated as the bytes arrive, because the peer may state any
/// size. Returns fewer bytes if the peer closes the connection before.
std::vector<uint8_t> receive_body(int socket, size_t size) {
  constexpr size_t kPiece = size_t{1} << 20;
  std::vector<uint8_t> body;
  while (body.size() < size) {
    const size_t before = body.size();
    const size_t piece = std::min(kPiece, size - before);
    body.resize(before + piece);
    const size_t got = receive_bytes(socket, body.data() + before, piece);
    body.resize(before + got);
    if (got < piece) break;
  }
  return body;
}

}  // namespace

void send_message(int socket, const nlohmann::json& message) {
  const std::vector<uint8_t> body = nlohmann::json::to_cbor(message);
  const auto size = static_cast<uint32_t>(body.size());
  const std::array<uint8_t, 4> head{static_cast<uint8_t>(size), static_cast<uint8_t>(size >> 8),
                                    static_cast<uint8_t>(size >> 16), static_cast<uint8_t>(size >> 24)};
  send_bytes(socket, head.data(), head.size());
  send_bytes(socket, body.data(), body.size());
}

std::optional<nlohmann::json> receive_message(int socket) {
  std::array<uint8_t, 4> head{};
  const size_t got = receive_bytes(socket, head.data(), head.size());
  if (got == 0) return std::nullopt;
  const uint32_t size = head[0] | head[1] << 8 | head[2] << 16 | static_cast<uint32_t>(head[3]) << 24;
  if (got < head.size() || size > kLargestFrame)
    throw Error("a message between kjoule and the measured process is damaged", kBugRemedy);
  const std::vector<uint8_t> body = receive_body(socket, size);
  if (body.size() < size)
    throw Error("the connection between kjoule and the measured process was lost within a message",
                kRepeatCommand);
  try {
    return nlohmann::json::from_cbor(body);
  } catch (const nlohmann::json::exception&) {
    throw Error("a message between kjoule and the measured process is damaged", kBugRemedy);
  }
}

nlohmann::json hello_message(uint64_t id) {
  return {{"op", "hello"}, {"id", id}, {"version", kProtocolVersion}};
}

nlohmann::json refusal_message(const Error& why) {
  return {{"op", "refused"}, {"error", to_message(why)}};
}

nlohmann::json to_message(const Error& error) {
  nlohmann::json message{{"cause", error.what()}, {"remedy", error.remedy()}};
  if (const auto* device = dynamic_cast<const DeviceError*>(&error)) {
    message["device"] = true;
    message["lost"] = device->lost;
    if (device->launch) message["launch"] = *device->launch;
  }
  return message;
}

void throw_from_message(const nlohmann::json& message) {
  const auto cause = message.at("cause").get<std::string>();
  const auto remedy = message.at("remedy").get<std::string>();
  if (!message.contains("device")) throw Error(cause, remedy);
  std::optional<LaunchIndex> launch;
  if (message.contains("launch")) launch = message.at("launch").get<LaunchIndex>();
  throw DeviceError(cause, remedy, launch, message.at("lost").get<bool>());
}

}  // namespace kjoule
