#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "device/link.hpp"

namespace kjoule {

/// kjoule's end of the protocol over a Link. Requests carry a number and replies carry it back, so that plays
/// may be under way while other replies are awaited. Throws DeviceError with `lost` set once the process
/// behind the link is gone.
class Connection {
 public:
  explicit Connection(std::shared_ptr<Link> link) : link_(std::move(link)) {}

  /// The number under which the reply will come.
  uint64_t send(const char* operation, nlohmann::json body = nlohmann::json::object());
  /// Waits for it; throws the Error that it brings.
  nlohmann::json reply(uint64_t id);
  nlohmann::json call(const char* operation, nlohmann::json body = nlohmann::json::object());
  /// The process is lost, or has said that it ends.
  bool is_over() const { return !end_.empty() || last_; }

 private:
  void receive();
  [[noreturn]] void lost();
  std::string remedy() const;
  [[noreturn]] void ended(const std::string& seen);

  std::shared_ptr<Link> link_;
  uint64_t last_id_ = 0;
  std::map<uint64_t, nlohmann::json> replies_;
  std::string seen_;    ///< of a program in which the iteration is being looked for
  std::string end_;     ///< set once it is lost
  bool ready_ = false;  ///< it has answered once
  bool last_ = false;   ///< it has said that it answers no more
};

}  // namespace kjoule
