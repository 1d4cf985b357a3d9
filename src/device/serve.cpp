#include "device/serve.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <optional>

#include "base/bug_remedy.hpp"
#include "base/process/fault.hpp"
#include "device/protocol.hpp"
#include "device/runner_requests.hpp"

namespace kjoule {

/// Answers requests with the opened device and its tracks.
class Server {
 public:
  /// `runner` is null except in kjoule-torch, where `runner` opens the device and `open_device` is empty.
  Server(Service::OpenDevice open_device, Runner* runner)
      : open_device_(std::move(open_device)), runner_(runner) {}

  nlohmann::json answer(const nlohmann::json& request) {
    const auto operation = request.at("op").get<std::string>();
    if (operation == "hello") return hello(request);
    if (!greeted_) throw Error("kjoule sent " + operation + " before it opened the connection", kBugRemedy);
    if (auto answer = answer_runner_request(request, runner_)) return *std::move(answer);
    if (!device_) throw Error("the process has no device for the request " + operation, kBugRemedy);
    if (operation == "record") return write_fields(device_->record());
    if (operation == "record_window") {
      const auto search = read_fields<WindowSearch>(request.at("search"), "search");
      const auto recording = device_->record_window(search);
      return recording ? write_fields(*recording) : nlohmann::json();
    }
    if (operation == "follow") {
      const auto recording = device_->follow();
      return recording ? write_fields(*recording) : nlohmann::json();
    }
    if (operation == "verify") return write_fields(device_->verify());
    if (operation == "time_collectives") {
      const int repeats = request.at("repeats").get<int>();
      return write_fields(CollectiveReplays{device_->time_collectives(repeats)});
    }
    if (operation == "observe") {
      const auto observation = device_->observe();
      return observation ? write_fields(*observation) : nlohmann::json();
    }
    if (operation == "leave") return device_->leave();
    if (operation == "stop_observing") {
      device_->stop_observing();
      return nullptr;
    }
    if (operation == "open") return open(request);
    if (operation == "enqueue") return enqueue(request);
    if (operation == "pause") return pause(request);
    if (operation == "wait") return write_fields(track(request).wait());
    if (operation == "close") return close(request);
    if (operation == "begin_round") {
      device_->begin_round(request.at("round").get<int>());
      return nullptr;
    }
    throw Error("the measured process does not know the request " + operation, kBugRemedy);
  }

  /// Returns whether no further request can be answered.
  bool is_over() const { return greeted_ && runner_ != nullptr && !runner_->is_usable(); }

 private:
  nlohmann::json hello(const nlohmann::json& request) {
    const int version = request.at("version").get<int>();
    if (version != kProtocolVersion)
      throw Error(
          fmt::format(
              "kjoule and the process that it started have different versions of their protocol: {} and {}",
              version, kProtocolVersion),
          "install kjoule, kjoule-torch and libkjoule_inject.so from the same build");
    device_ = runner_ == nullptr ? open_device_() : runner_->start(work_in(request));
    greeted_ = true;
    return device_ ? write_fields(device_->info()) : nlohmann::json();
  }

  static RunnerWork work_in(const nlohmann::json& request) {
    RunnerWork work;
    FieldReader(request, "hello")("work", work);
    return work;
  }

  nlohmann::json open(const nlohmann::json& request) {
    tracks_.emplace(++last_track_, device_->open(read_fields<TrackSpec>(request.at("spec"), "spec")));
    return {{"track", last_track_}};
  }

  Track& track(const nlohmann::json& request) {
    const auto found = tracks_.find(request.at("track").get<uint64_t>());
    if (found == tracks_.end()) throw Error("kjoule asked for work that it had not prepared", kBugRemedy);
    return *found->second;
  }

  nlohmann::json enqueue(const nlohmann::json& request) {
    track(request).enqueue(request.at("repeats").get<int>());
    return nullptr;
  }

  nlohmann::json pause(const nlohmann::json& request) {
    track(request).pause(request.at("seconds").get<double>());
    return nullptr;
  }

  nlohmann::json close(const nlohmann::json& request) {
    tracks_.erase(request.at("track").get<uint64_t>());
    return nullptr;
  }

  Service::OpenDevice open_device_;
  Runner* runner_;
  bool greeted_ = false;
  std::shared_ptr<Device> device_;
  std::map<uint64_t, std::unique_ptr<Track>> tracks_;  ///< destroyed before the device
  uint64_t last_track_ = 0;
};

namespace {

/// A message of kjoule with the fields that every request has.
struct Request {
  nlohmann::json message;
  std::string operation;
};

/// Returns the next request; nothing if kjoule is gone, or sent something that is no complete request. The
/// process, which may be a server of the user, must not end because of a damaged message.
std::optional<Request> next_request(int socket) {
  try {
    const auto message = receive_message(socket);
    if (!message) return {};
    auto operation = message->at("op").get<std::string>();
    if (operation != "refused" && operation != "quit") (void)message->at("id");  // for the reply
    return Request{*message, std::move(operation)};
  } catch (const std::exception&) {
    return {};
  }
}

nlohmann::json reply_of(Server& server, const nlohmann::json& request, const Service::Explain& explain) {
  nlohmann::json reply{{"id", request.at("id")}};
  try {
    reply["result"] = server.answer(request);
  } catch (const Error& error) {
    reply["error"] = to_message(error);
  } catch (const std::exception& error) {
    reply["error"] = to_message(explain ? explain(error) : fault_of(error));
  }
  if (server.is_over()) reply["last"] = true;
  return reply;
}

}  // namespace

Service::Service(int socket, Explain explain)
    : socket_(socket), explain_(std::move(explain)), owner_(getpid()) {}

ServiceEnd Service::run(const OpenDevice& open_device) {
  Server server(open_device, nullptr);
  return answer_all(server);
}

ServiceEnd Service::run(Runner& runner) {
  Server server({}, &runner);
  return answer_all(server);
}

ServiceEnd Service::answer_all(Server& server) {
  while (const auto request = next_request(socket_)) {
    if (request->operation == "refused") return ServiceEnd::refused;
    if (request->operation == "quit") return ServiceEnd::quit;
    // Continues after a failed send, because the socket may still contain a message with the reason.
    send(reply_of(server, request->message, explain_));
    if (server.is_over()) break;
  }
  return ServiceEnd::closed;
}

void Service::report_progress(const std::string& seen) {
  if (getpid() == owner_) send({{"op", "seen"}, {"seen", seen}});
}

void Service::report_end(const std::string& seen) {
  if (getpid() == owner_) send({{"op", "ended"}, {"seen", seen}});
}

void Service::send(const nlohmann::json& message) {
  const MutexLock lock(sending_);
  try {
    send_message(socket_, message);
  } catch (const Error&) {  // run() notices that kjoule is gone
  }
}

ServiceEnd serve(int socket, const Service::OpenDevice& open_device) {
  return Service(socket).run(open_device);
}

ServiceEnd serve(int socket, Runner& runner, const Service::Explain& explain) {
  return Service(socket, explain).run(runner);
}

}  // namespace kjoule
