#pragma once
#include <memory>

#include "device/forwarding_device.hpp"
#include "device/injected_program.hpp"

namespace kjoule {

class Connection;

/// A Device in another process, which is reached over a socket. After the process has ended, every call
/// throws DeviceError with `lost` set; its cause states how the process ended.
class RemoteDevice final : public ForwardingDevice {
 public:
  /// Uses the process at the other end of the connection, which has answered the greeting with `info`.
  RemoteDevice(std::shared_ptr<Connection> connection, DeviceInfo info);
  /// Uses the measured process of a user's program, which has answered the greeting.
  explicit RemoteDevice(const std::shared_ptr<InjectedProgram>& program);
  ~RemoteDevice() override;
  const DeviceInfo& info() const override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;

 private:
  nlohmann::json call(const char* operation, const nlohmann::json& body) override;

  std::shared_ptr<Connection> connection_;
  DeviceInfo info_;
};

}  // namespace kjoule
