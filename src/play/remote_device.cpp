#include "play/remote_device.hpp"

#include <deque>

#include "play/protocol.hpp"

namespace kjoule {

/// Requests carry a number and replies carry it back, so that plays may be under way while other replies are
/// awaited.
class RemoteDevice::Connection {
 public:
  explicit Connection(std::vector<std::string> command) : child_(std::move(command)) {}

  uint64_t send(const char* operation, nlohmann::json body) {
    body["op"] = operation;
    body["id"] = ++last_id_;
    try {
      send_message(child_.socket(), body);
    } catch (const Error&) {
      lost();
    }
    return last_id_;
  }

  nlohmann::json reply(uint64_t id) {
    while (!replies_.contains(id)) receive();
    ready_ = true;
    nlohmann::json message = std::move(replies_.at(id));
    replies_.erase(id);
    if (message.contains("error")) throw_from_message(message.at("error"));
    return std::move(message.at("result"));
  }

  nlohmann::json call(const char* operation, nlohmann::json body = nlohmann::json::object()) {
    return reply(send(operation, std::move(body)));
  }

 private:
  void receive() {
    std::optional<nlohmann::json> message;
    try {
      message = receive_message(child_.socket());
    } catch (const Error&) {
      lost();
    }
    if (!message) lost();
    replies_.emplace(message->at("id").get<uint64_t>(), std::move(*message));
  }

  [[noreturn]] void lost() {
    if (end_.empty()) end_ = child_.how_it_ended();
    throw DeviceError("the device process ended: " + end_, remedy(), {}, true);
  }

  /// SIGKILL is what the system sends when memory runs out, and says no more.
  std::string remedy() const {
    if (!ready_) return "kjoule doctor tells whether it can start here";
    std::string go_on = "finished rows are kept, the same command with --resume DIR goes on";
    if (end_.starts_with("killed by signal 9"))
      return "if nobody killed it, memory ran out: use a smaller --batch, --seq-len or model; " + go_on;
    return go_on;
  }

  ChildProcess child_;
  uint64_t last_id_ = 0;
  std::map<uint64_t, nlohmann::json> replies_;
  std::string end_;
  bool ready_ = false;  ///< it has answered once
};

namespace {

class RemoteTrack final : public Track {
 public:
  RemoteTrack(std::shared_ptr<RemoteDevice::Connection> connection, uint64_t track)
      : connection_(std::move(connection)), track_(track) {}
  ~RemoteTrack() override {
    try {
      connection_->call("close", {{"track", track_}});
    } catch (const Error&) {  // a lost child has nothing to close
    }
  }
  void enqueue(int repeats) override {
    under_way_.push_back(connection_->send("play", {{"track", track_}, {"repeats", repeats}}));
  }
  Played wait() override {
    const uint64_t id = under_way_.front();
    under_way_.pop_front();
    return played_from_message(connection_->reply(id));
  }

 private:
  std::shared_ptr<RemoteDevice::Connection> connection_;
  uint64_t track_;
  std::deque<uint64_t> under_way_;
};

}  // namespace

RemoteDevice::RemoteDevice(std::vector<std::string> command)
    : connection_(std::make_shared<Connection>(std::move(command))) {
  info_ = info_from_message(connection_->call("hello", {{"version", kProtocolVersion}}));
}

RemoteDevice::~RemoteDevice() = default;

const DeviceInfo& RemoteDevice::info() const {
  return info_;
}

Recording RemoteDevice::record() {
  return recording_from_message(connection_->call("record"));
}

Verification RemoteDevice::verify() {
  return verification_from_message(connection_->call("verify"));
}

std::unique_ptr<Track> RemoteDevice::open(const TrackSpec& spec) {
  const auto track = connection_->call("open", {{"spec", to_message(spec)}}).at("track").get<uint64_t>();
  return std::make_unique<RemoteTrack>(connection_, track);
}

void RemoteDevice::begin_round(int round) {
  connection_->call("begin_round", {{"round", round}});
}

}  // namespace kjoule
