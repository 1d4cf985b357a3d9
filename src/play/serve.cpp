#include "play/serve.hpp"

#include <fmt/format.h>

#include <map>

#include "play/protocol.hpp"

namespace kjoule {

namespace {

class Server {
 public:
  explicit Server(const std::function<std::unique_ptr<Device>()>& open_device) : open_device_(open_device) {}

  nlohmann::json answer(const nlohmann::json& request) {
    const auto operation = request.at("op").get<std::string>();
    if (operation == "hello") return hello(request);
    if (!device_) throw Error("the first message must be hello");
    if (operation == "record") return to_message(device_->record());
    if (operation == "verify") return to_message(device_->verify());
    if (operation == "open") return open(request);
    if (operation == "play") return play(request);
    if (operation == "close") return close(request);
    if (operation == "begin_round") {
      device_->begin_round(request.at("round").get<int>());
      return nullptr;
    }
    throw Error("unknown message " + operation);
  }

 private:
  nlohmann::json hello(const nlohmann::json& request) {
    const int version = request.at("version").get<int>();
    if (version != kProtocolVersion)
      throw Error(fmt::format("protocol version {} met {}", version, kProtocolVersion),
                  "kjoule and its device programs must come from one build");
    device_ = open_device_();
    return to_message(device_->info());
  }

  nlohmann::json open(const nlohmann::json& request) {
    tracks_.emplace(++last_track_, device_->open(spec_from_message(request.at("spec"))));
    return {{"track", last_track_}};
  }

  nlohmann::json play(const nlohmann::json& request) {
    Track& track = *tracks_.at(request.at("track").get<uint64_t>());
    track.enqueue(request.at("repeats").get<int>());
    return to_message(track.wait());
  }

  nlohmann::json close(const nlohmann::json& request) {
    tracks_.erase(request.at("track").get<uint64_t>());
    return nullptr;
  }

  const std::function<std::unique_ptr<Device>()>& open_device_;
  std::unique_ptr<Device> device_;
  std::map<uint64_t, std::unique_ptr<Track>> tracks_;
  uint64_t last_track_ = 0;
};

}  // namespace

void serve(int socket, const std::function<std::unique_ptr<Device>()>& open_device,
           const std::function<Error(const std::exception&)>& explain) {
  Server server(open_device);
  while (auto request = receive_message(socket)) {
    nlohmann::json reply{{"id", request->at("id")}};
    try {
      reply["result"] = server.answer(*request);
    } catch (const Error& error) {
      reply["error"] = to_message(error);
    } catch (const std::exception& error) {
      reply["error"] = to_message(explain ? explain(error) : Error(error.what()));
    }
    send_message(socket, reply);
  }
}

}  // namespace kjoule
