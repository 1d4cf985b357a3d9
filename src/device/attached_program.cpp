#include "device/attached_program.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <vector>

#include "device/protocol.hpp"
#include "device/remote_device.hpp"

namespace kjoule {

namespace {

constexpr const char* kAttach = "attach";
constexpr auto kGonePatience = std::chrono::milliseconds(2000);
/// Longest wait for the library's answer, which comes from a thread of its own.
constexpr int kAnswerPatience_ms = 10'000;

/// Waits until one of the descriptors is readable. Returns false if none becomes readable in time.
bool wait_for_any(const std::vector<int>& descriptors, int milliseconds) {
  std::vector<pollfd> watched;
  for (const int descriptor : descriptors) watched.push_back({descriptor, POLLIN, 0});
  return poll(watched.data(), watched.size(), milliseconds) > 0;
}

}  // namespace

AttachedProgram::AttachedProgram(const WaitingProgram& program)
    : name_(fmt::format("{} (process {})", program.name, program.pid)) {
  const ConnectedProcess process = connect_to_trusted(socket_name(program));
  if (process.socket < 0)
    throw Error(name_ + " does not accept a connection of kjoule",
                "check whether the program has ended, and whether it belongs to your user");
  process_ = std::make_unique<MeasuredProcess>(process, name_);
}

AttachedProgram::~AttachedProgram() {
  close(socket());
}

bool AttachedProgram::await_message(const std::string& operation) {
  if (operation == kAttach && !wait_for_any({socket()}, kAnswerPatience_ms))
    throw StuckError(name_ + " did not answer kjoule's request within 10 s",
                     "if the program is stopped, continue it with kill -CONT PID");
  return process_->await_message(operation, wait_for_any);
}

std::string AttachedProgram::how_it_ended() {
  return name_ +
         (process_->has_ended(kGonePatience) ? " ended" : " closed its connection to kjoule but did not end");
}

std::unique_ptr<Device> attach(const WaitingProgram& program, const InjectionOptions& options,
                               const AttachListener& listener) {
  auto connection = std::make_shared<Connection>(std::make_shared<AttachedProgram>(program));
  request_measurement(*connection, options);
  listener.accepts();
  connection->on_progress(listener.is_searched);
  auto info = read_fields<DeviceInfo>(connection->call("hello", {{"version", kProtocolVersion}}),
                                      "the program's reply");
  return std::make_unique<RemoteDevice>(std::move(connection), std::move(info));
}

bool request_measurement(Connection& connection, const InjectionOptions& options) {
  const nlohmann::json answer =
      connection.call(kAttach, {{"version", kProtocolVersion}, {"options", options.to_environment()}});
  return answer.at("uses_gpu").get<bool>();
}

InjectionOptions read_attach_request(const nlohmann::json& request) {
  if (request.value("op", "") != kAttach || request.value("version", 0) != kProtocolVersion)
    throw Error("the program was started with the variables of another version of kjoule",
                "start it again with the variables that kjoule env of this version prints");
  return InjectionOptions::parse(request.at("options").get<Environment>());
}

}  // namespace kjoule
