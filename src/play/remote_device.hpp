#pragma once
#include <map>
#include <memory>

#include "base/process.hpp"
#include "play/device.hpp"

namespace kjoule {

/// A Device that lives in a child process and is reached over its socket. When the child dies every call
/// throws DeviceError with `lost` set and says how it died.
class RemoteDevice final : public Device {
 public:
  /// Starts the child ("{fd}" in the command stands for its end of the socket) and waits for its greeting.
  /// Throws the Error that the child reports, e.g. for a model that cannot be loaded.
  explicit RemoteDevice(std::vector<std::string> command);
  ~RemoteDevice() override;
  const DeviceInfo& info() const override;
  Recording record() override;
  Verification verify() override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  void begin_round(int round) override;

  class Connection;

 private:
  std::shared_ptr<Connection> connection_;
  DeviceInfo info_;
};

}  // namespace kjoule
