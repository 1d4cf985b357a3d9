#include "device/forwarding_device.hpp"

namespace kjoule {

namespace {

nlohmann::json no_body() {
  return nlohmann::json::object();
}

/// Returns what a reply contains that may be null.
template <class What>
std::optional<What> read_optional(const nlohmann::json& reply, const char* name) {
  if (reply.is_null()) return std::nullopt;
  return read_fields<What>(reply, name);
}

}  // namespace

Recording ForwardingDevice::record() {
  return read_fields<Recording>(call_to_record("record", no_body()), "reply to record");
}

std::optional<Recording> ForwardingDevice::record_window(const WindowSearch& search) {
  return read_optional<Recording>(call_to_record("record_window", {{"search", write_fields(search)}}),
                                  "reply to record_window");
}

Verification ForwardingDevice::verify() {
  return read_fields<Verification>(call("verify", no_body()), "reply to verify");
}

std::optional<Observation> ForwardingDevice::observe() {
  return read_optional<Observation>(call("observe", no_body()), "reply to observe");
}

std::string ForwardingDevice::leave() {
  return call("leave", no_body()).get<std::string>();
}

void ForwardingDevice::stop_observing() {
  call("stop_observing", no_body());
}

void ForwardingDevice::begin_round(int round) {
  call("begin_round", {{"round", round}});
}

}  // namespace kjoule
