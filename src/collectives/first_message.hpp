#pragma once
#include <nlohmann/json.hpp>
#include <vector>

namespace kjoule {

/// The first message of a connection whose other end is not known yet, so that it may send anything, or
/// nothing. The message has the form of all messages (device/protocol.hpp), but at most kLongest bytes.
class FirstMessage {
 public:
  static constexpr size_t kLongest = 1024;
  enum class State { incomplete, complete, invalid };

  /// Reads what has arrived at the socket, without waiting. The message is invalid if the connection has
  /// ended, or if its length or content is wrong.
  State read(int socket);
  /// Returns the complete message, an object.
  const nlohmann::json& content() const { return content_; }

 private:
  State decode();

  std::vector<uint8_t> bytes_;  ///< of the length, then of the content
  nlohmann::json content_;
};

}  // namespace kjoule
