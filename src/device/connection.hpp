#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "device/link.hpp"

namespace kjoule {

/// kjoule's end of the protocol over a Link. A request has a number, and its reply carries the number back,
/// so several requests can wait for their replies at the same time. Once the process of the link is lost,
/// every call throws DeviceError with `lost` set.
class Connection {
 public:
  explicit Connection(std::shared_ptr<Link> link) : link_(std::move(link)) {}

  /// Sets what is called with each report of the program's launches so far.
  void on_progress(std::function<void(const std::string& seen)> called) { on_progress_ = std::move(called); }
  /// Sends a request and returns its number, for reply().
  uint64_t send(const char* operation, nlohmann::json body = nlohmann::json::object());
  /// Waits for the reply to request `id` and returns its result. Throws the Error that the reply contains.
  nlohmann::json reply(uint64_t id);
  /// Returns whether the reply to request `id` is there.
  bool has_reply(uint64_t id) const { return replies_.contains(id); }
  /// Receives one message, which must have arrived, and returns whether the reply to request `id` is there.
  bool receive_reply(uint64_t id);
  /// Sends a request and waits for its reply, as send() and reply() do.
  nlohmann::json call(const char* operation, nlohmann::json body = nlohmann::json::object());
  /// Returns whether no further request can be answered: the process is lost, or its last reply was marked as
  /// the last one.
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
  std::string progress_;  ///< what the program reported of its launches before an iteration was found
  std::function<void(const std::string&)> on_progress_;
  std::string end_;     ///< how the process ended; empty while it runs
  bool ready_ = false;  ///< whether the process has answered a request
  bool last_ = false;   ///< whether a reply was marked as the last one
};

}  // namespace kjoule
