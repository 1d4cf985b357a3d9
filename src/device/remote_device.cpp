#include "device/remote_device.hpp"

#include <deque>

#include "device/connection.hpp"
#include "device/protocol.hpp"

namespace kjoule {

namespace {

class RemoteTrack final : public Track {
 public:
  RemoteTrack(std::shared_ptr<Connection> connection, uint64_t track)
      : connection_(std::move(connection)), track_(track) {}
  ~RemoteTrack() override {
    try {
      connection_->call("close", {{"track", track_}});
    } catch (const Error&) {  // a lost process has no tracks to close
    }
  }
  void enqueue(int repeats) override {
    under_way_.push_back(connection_->send("enqueue", {{"track", track_}, {"repeats", repeats}}));
  }
  void pause(double seconds) override {
    connection_->call("pause", {{"track", track_}, {"seconds", seconds}});
  }
  TrackTiming wait() override {
    const uint64_t id = under_way_.front();
    under_way_.pop_front();
    connection_->reply(id);
    return read_fields<TrackTiming>(connection_->call("wait", {{"track", track_}}), "reply to wait");
  }

 private:
  std::shared_ptr<Connection> connection_;
  uint64_t track_;
  std::deque<uint64_t> under_way_;
};

}  // namespace

RemoteDevice::RemoteDevice(std::shared_ptr<Connection> connection, DeviceInfo info)
    : connection_(std::move(connection)), info_(std::move(info)) {}

RemoteDevice::RemoteDevice(const std::shared_ptr<InjectedProgram>& program)
    : RemoteDevice(std::make_shared<Connection>(program), program->info()) {}

RemoteDevice::~RemoteDevice() = default;

const DeviceInfo& RemoteDevice::info() const {
  return info_;
}

nlohmann::json RemoteDevice::call(const char* operation, const nlohmann::json& body) {
  return connection_->call(operation, body);
}

std::unique_ptr<Track> RemoteDevice::open(const TrackSpec& spec) {
  const auto track = connection_->call("open", {{"spec", write_fields(spec)}}).at("track").get<uint64_t>();
  return std::make_unique<RemoteTrack>(connection_, track);
}

}  // namespace kjoule
