#pragma once
#include "device/device.hpp"

namespace kjoule {

/// A Device that forwards its calls as requests to one or several other processes.
class ForwardingDevice : public Device {
 public:
  Recording record() override;
  std::optional<Recording> record_window(const WindowSearch& search) override;
  Verification verify() override;
  std::optional<Observation> observe() override;
  std::string leave() override;
  void stop_observing() override;
  void begin_round(int round) override;

 private:
  /// Returns the reply to a request. Throws the Error that the reply contains.
  virtual nlohmann::json call(const char* operation, const nlohmann::json& body) = 0;
  /// Like call(), for the requests that record launches.
  virtual nlohmann::json call_to_record(const char* operation, const nlohmann::json& body) {
    return call(operation, body);
  }
};

}  // namespace kjoule
