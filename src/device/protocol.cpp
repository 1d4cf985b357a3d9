#include "device/protocol.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace kjoule {

namespace {

constexpr uint32_t kLargestFrame = 1u << 30;

void send_bytes(int socket, const uint8_t* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw Error(std::string("connection lost while sending: ") + std::strerror(errno));
    data += sent;
    size -= static_cast<size_t>(sent);
  }
}

/// Bytes read before the peer closed; `size` unless it did.
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
  if (got < head.size() || size > kLargestFrame) throw Error("a message on the socket is damaged");
  std::vector<uint8_t> body(size);
  if (receive_bytes(socket, body.data(), size) < size) throw Error("a message on the socket ends early");
  try {
    return nlohmann::json::from_cbor(body);
  } catch (const nlohmann::json::exception&) {
    throw Error("a message on the socket is damaged");
  }
}

nlohmann::json hello(uint64_t id) {
  return {{"op", "hello"}, {"id", id}, {"version", kProtocolVersion}};
}

nlohmann::json refusal(const Error& why) {
  return {{"op", "refused"}, {"error", to_message(why)}};
}

nlohmann::json to_message(const TrackSpec& spec) {
  if (std::holds_alternative<Iteration>(spec)) return {{"kind", "iteration"}};
  if (std::holds_alternative<Overlapped>(spec)) return {{"kind", "overlapped"}};
  if (const auto* steady = std::get_if<Steady>(&spec))
    return {{"kind", "steady"},
            {"plain", steady->plain},
            {"marked", steady->marked},
            {"left_out", steady->left_out},
            {"flushed", steady->flushed},
            {"only", steady->only},
            {"may_pause", steady->may_pause}};
  if (const auto* empty = std::get_if<EmptyKernels>(&spec))
    return {{"kind", "empty_kernels"}, {"count", empty->count}};
  if (const auto* stamped = std::get_if<Stamped>(&spec))
    return {{"kind", "stamped"}, {"launches", stamped->launches}, {"after", stamped->after}};
  nlohmann::json segments = nlohmann::json::array();
  for (const Segment& segment : std::get<Sequence>(spec).segments)
    segments.push_back({segment.lead, segment.timed});
  return {{"kind", "sequence"}, {"segments", std::move(segments)}};
}

TrackSpec spec_from_message(const nlohmann::json& message) {
  if (message.at("kind") == "iteration") return Iteration{};
  if (message.at("kind") == "overlapped") return Overlapped{};
  if (message.at("kind") == "steady")
    return Steady{message.at("plain").get<int>(),
                  message.at("marked").get<std::vector<LaunchIndex>>(),
                  message.at("left_out").get<bool>(),
                  message.at("flushed").get<bool>(),
                  message.at("only").get<std::vector<LaunchIndex>>(),
                  message.at("may_pause").get<bool>()};
  if (message.at("kind") == "empty_kernels") return EmptyKernels{message.at("count").get<int>()};
  if (message.at("kind") == "stamped")
    return Stamped{message.at("launches").get<std::vector<LaunchIndex>>(),
                   message.at("after").get<std::vector<uint32_t>>()};
  Sequence sequence;
  for (const auto& segment : message.at("segments"))
    sequence.segments.push_back(
        {segment.at(0).get<std::vector<LaunchIndex>>(), segment.at(1).get<std::vector<LaunchIndex>>()});
  return sequence;
}

nlohmann::json to_message(const Played& played) {
  return {{"seconds", played.seconds},
          {"clock_hz", played.clock_hz},
          {"begin_ns", played.begin_ns},
          {"end_ns", played.end_ns}};
}

Played played_from_message(const nlohmann::json& message) {
  return {message.at("seconds").get<std::vector<double>>(), message.at("clock_hz").get<std::vector<double>>(),
          message.at("begin_ns").get<int64_t>(), message.at("end_ns").get<int64_t>()};
}

nlohmann::json to_message(const Recording& recording) {
  nlohmann::json launches = nlohmann::json::array();
  for (const Launch& launch : recording.launches)
    launches.push_back({launch.name, static_cast<int>(launch.tier), launch.signature, launch.detail});
  return {{"program", recording.program}, {"device", recording.device}, {"launches", std::move(launches)}};
}

Recording recording_from_message(const nlohmann::json& message) {
  Recording recording{message.at("program"), message.at("device"), {}};
  for (const auto& launch : message.at("launches"))
    recording.launches.push_back({launch.at(0).get<std::string>(), static_cast<Tier>(launch.at(1).get<int>()),
                                  launch.at(2).get<std::string>(), launch.at(3)});
  return recording;
}

nlohmann::json to_message(const DeviceInfo& info) {
  return {{"description", info.description},
          {"clean_edges", info.clean_edges},
          {"serial_iteration", info.serial_iteration},
          {"runs_program", info.runs_program},
          {"recordable", info.recordable},
          {"keeps_timeline", info.keeps_timeline}};
}

DeviceInfo info_from_message(const nlohmann::json& message) {
  return {message.at("description"),
          message.at("clean_edges").get<bool>(),
          message.at("serial_iteration").get<bool>(),
          message.at("runs_program").get<bool>(),
          message.at("recordable").get<bool>(),
          message.at("keeps_timeline").get<bool>()};
}

nlohmann::json to_message(const Verification& verification) {
  return {{"launches", verification.launches},
          {"different", verification.different},
          {"failed", verification.failed},
          {"non_finite", verification.non_finite},
          {"varying", verification.varying}};
}

Verification verification_from_message(const nlohmann::json& message) {
  return {message.at("launches").get<int>(), message.at("different").get<std::vector<LaunchIndex>>(),
          message.at("failed").get<std::vector<std::pair<LaunchIndex, std::string>>>(),
          message.at("non_finite").get<std::vector<LaunchIndex>>(),
          message.at("varying").get<std::vector<LaunchIndex>>()};
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
