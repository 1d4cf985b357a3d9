#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "device/link.hpp"

namespace kjoule {

/// kjoule's end of the protocol over a Link. A reply contains the number of its request, so that several
/// requests can wait for their replies at the same time. After the process at the other end is lost, every
/// call throws DeviceError with `lost` set.
class Connection {
 public:
  explicit Connection(std::shared_ptr<Link> link) : link_(std::move(link)) {}

  /// Sets the function that is called with each report of the program on its launches so far.
  void on_progress(std::function<void(const std::string& seen)> called) { on_progress_ = std::move(called); }
  /// Sends a request and returns its number, for reply().
  uint64_t send(const char* operation, nlohmann::json body = nlohmann::json::object());
  /// Waits for the reply to request `id` and returns its result. Throws the Error that the reply contains.
  nlohmann::json reply(uint64_t id);
  /// Returns whether the reply to request `id` has been received.
  bool has_reply(uint64_t id) const { return replies_.contains(id); }
  /// Receives one message, and returns has_reply(id). The message must have arrived already.
  bool receive_reply(uint64_t id);
  /// Sends a request and returns the result in its reply: send() and reply() together.
  nlohmann::json call(const char* operation, nlohmann::json body = nlohmann::json::object());
  /// Returns whether no further request can be answered, because the process is lost or has marked a reply as
  /// its last one.
  bool is_over() const { return !end_.empty() || last_; }

 private:
  void receive(const std::string& waited_for);
  [[noreturn]] void throw_lost();
  std::string remedy() const;
  [[noreturn]] void throw_ended(const std::string& seen);

  std::shared_ptr<Link> link_;
  uint64_t last_id_ = 0;
  std::map<uint64_t, std::string> waiting_;  ///< the operations of requests without a reply, by number
  std::map<uint64_t, nlohmann::json> replies_;
  std::string progress_;  ///< the program's last report on its launches before an iteration was found
  std::function<void(const std::string&)> on_progress_;
  std::string end_;     ///< how the process ended; empty while it runs
  bool ready_ = false;  ///< whether the process has answered a request
  bool last_ = false;   ///< whether a reply was marked as the last one
};

}  // namespace kjoule
