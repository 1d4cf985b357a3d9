#include "device/rendezvous.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "device/protocol.hpp"

namespace kjoule {

namespace {

constexpr uint64_t kHelloId = 0;  // the numbers of a Connection begin at 1

void refuse(const ConnectedProcess& process, pid_t measured) {
  try {
    send_message(
        process.socket,
        refusal_message(Error(
            fmt::format("kjoule already measures another process of this program (process {})", measured),
            "choose the process to measure with --rank R")));
  } catch (const Error&) {  // the process has left already
  }
  close(process.socket);
}

/// Returns what a process has answered of its device; empty if its answer was an error.
DeviceInfo info_of(const AnsweringProcess& answering) {
  const auto result = answering.answer.find("result");
  if (result == answering.answer.end() || !result->is_object()) return {};
  return read_fields<DeviceInfo>(*result, "the program's reply");
}

std::string gpu_of(const DeviceInfo& info) {
  return info.description.is_object() ? info.description.value("uuid", "") : "";
}

}  // namespace

Rendezvous::~Rendezvous() {
  for (const ConnectedProcess& process : waiting_) close(process.socket);
  for (const AnsweringProcess& answering : answering_) close(answering.process.socket);
}

bool Rendezvous::await(const std::vector<int>& others, int milliseconds) {
  std::vector<pollfd> watched{{listener_.descriptor(), POLLIN, 0}};
  for (const ConnectedProcess& process : waiting_) watched.push_back({process.socket, POLLIN, 0});
  for (const int other : others) watched.push_back({other, POLLIN, 0});
  if (poll(watched.data(), watched.size(), milliseconds) <= 0) return false;
  const std::vector<ConnectedProcess> processes = std::exchange(waiting_, {});
  for (size_t g = 0; g < processes.size(); ++g)
    if (is_complete())
      refuse(processes[g], measured_pid());
    else if (watched[g + 1].revents != 0)
      receive_from(processes[g]);
    else
      waiting_.push_back(processes[g]);
  if (watched[0].revents != 0) accept_connections();
  return true;
}

void Rendezvous::accept_connections() {
  for (ConnectedProcess process = listener_.accept(); process.socket >= 0; process = listener_.accept()) {
    if (is_complete()) {
      refuse(process, measured_pid());
      continue;
    }
    try {
      send_message(process.socket, hello_message(kHelloId));
    } catch (const Error&) {  // the process has left already, but may have sent a message before
    }
    waiting_.push_back(process);
  }
}

void Rendezvous::receive_from(const ConnectedProcess& process) {
  std::optional<nlohmann::json> message;
  try {
    message = receive_message(process.socket);
  } catch (const Error&) {  // incomplete message: the process died while it sent it
  }
  if (message && message->contains("id")) return accept_or_refuse({process, std::move(*message)});
  if (message && message->value("op", "") == "seen") {
    waiting_.push_back(process);
    return;
  }
  // The process is about to end, even if its answer to the greeting is still on the way.
  if (message) last_report_ = message->value("seen", "");
  ++gone_;
  close(process.socket);
}

void Rendezvous::accept_or_refuse(AnsweringProcess answering) {
  const DeviceInfo info = info_of(answering);
  const auto uses_it = [&](const AnsweringProcess& other) { return gpu_of(info_of(other)) == gpu_of(info); };
  if (is_complete() || std::ranges::any_of(answering_, uses_it))
    return refuse(answering.process, measured_pid());
  answering_.push_back(std::move(answering));
  const bool is_first = info.rank.local_rank.value_or(info.rank.rank.value_or(0)) == 0;
  if (!measured_ && (is_first || !accepts_several_)) measured_ = answering_.size() - 1;
  if (!is_complete()) return;
  for (const ConnectedProcess& other : std::exchange(waiting_, {})) refuse(other, measured_pid());
}

bool Rendezvous::measure_first() {
  if (!measured_ && !answering_.empty()) measured_ = 0;
  return measured_.has_value();
}

}  // namespace kjoule
