#include "collectives/first_message.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace kjoule {

namespace {

constexpr size_t kHeadBytes = 4;

/// Returns the length that the head of a message states, in bytes.
size_t stated_length(const std::vector<uint8_t>& head) {
  size_t length = 0;
  for (size_t i = kHeadBytes; i-- > 0;) length = length << 8U | head[i];
  return length;
}

}  // namespace

FirstMessage::State FirstMessage::read(int socket) {
  while (true) {
    const size_t length = bytes_.size() < kHeadBytes ? 0 : stated_length(bytes_);
    if (length > kLongest || (length == 0 && bytes_.size() == kHeadBytes)) return State::invalid;
    const size_t missing = kHeadBytes + length - bytes_.size();
    if (missing == 0) return decode();
    // No byte is read that follows the message.
    const size_t before = bytes_.size();
    bytes_.resize(before + missing);
    const ssize_t got = recv(socket, bytes_.data() + before, missing, MSG_DONTWAIT);
    bytes_.resize(before + static_cast<size_t>(std::max<ssize_t>(0, got)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return State::incomplete;
    if (got <= 0) return State::invalid;
  }
}

FirstMessage::State FirstMessage::decode() {
  try {
    content_ = nlohmann::json::from_cbor(bytes_.begin() + kHeadBytes, bytes_.end());
  } catch (const nlohmann::json::exception&) {
    return State::invalid;
  }
  return content_.is_object() ? State::complete : State::invalid;
}

}  // namespace kjoule
