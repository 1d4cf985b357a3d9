#include "play/connection.hpp"

#include <optional>

#include "play/device.hpp"
#include "play/protocol.hpp"

namespace kjoule {

uint64_t Connection::send(const char* operation, nlohmann::json body) {
  body["op"] = operation;
  body["id"] = ++last_id_;
  try {
    send_message(link_->socket(), body);
  } catch (const Error&) {
    // Its last words may still be there to be read: reply() will find them, or that it is lost.
  }
  return last_id_;
}

nlohmann::json Connection::reply(uint64_t id) {
  while (!replies_.contains(id)) receive();
  nlohmann::json message = std::move(replies_.at(id));
  replies_.erase(id);
  if (message.contains("error")) throw_from_message(message.at("error"));
  return std::move(message.at("result"));
}

nlohmann::json Connection::call(const char* operation, nlohmann::json body) {
  return reply(send(operation, std::move(body)));
}

void Connection::receive() {
  std::optional<nlohmann::json> message;
  try {
    if (end_.empty() && link_->await_message()) message = receive_message(link_->socket());
  } catch (const Error&) {  // torn: as good as none
  }
  if (!message) lost();
  if (message->value("op", "") == "ended") ended(message->value("seen", ""));
  replies_.emplace(message->at("id").get<uint64_t>(), std::move(*message));
}

void Connection::lost() {
  if (end_.empty()) end_ = link_->how_it_ended();
  throw DeviceError(end_, "finished rows are kept, kjoule compare --resume DIR continues", {}, true);
}

void Connection::ended(const std::string& seen) {
  end_ = link_->how_it_ended() + " before an iteration was found";
  if (!seen.empty()) end_ += ": " + seen;
  throw DeviceError(end_, "--range NAME or --iterations A..B say what an iteration is", {}, true);
}

}  // namespace kjoule
