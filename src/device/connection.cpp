#include "device/connection.hpp"

#include <optional>

#include "device/device.hpp"
#include "device/protocol.hpp"

namespace kjoule {

uint64_t Connection::send(const char* operation, nlohmann::json body) {
  body["op"] = operation;
  body["id"] = ++last_id_;
  waiting_.emplace(last_id_, operation);
  try {
    send_message(link_->socket(), body);
  } catch (const Error&) {
    // The process may have sent a message before it ended. reply() reads it, or throws the error of a lost
    // process.
  }
  return last_id_;
}

nlohmann::json Connection::reply(uint64_t id) {
  while (!replies_.contains(id)) receive(waiting_[id]);
  waiting_.erase(id);
  ready_ = true;
  nlohmann::json message = std::move(replies_.at(id));
  replies_.erase(id);
  last_ = last_ || message.contains("last");
  if (message.contains("error")) throw_from_message(message.at("error"));
  return std::move(message.at("result"));
}

bool Connection::receive_reply(uint64_t id) {
  if (!replies_.contains(id)) receive(waiting_[id]);
  return replies_.contains(id);
}

nlohmann::json Connection::call(const char* operation, nlohmann::json body) {
  return reply(send(operation, std::move(body)));
}

void Connection::receive(const std::string& waited_for) {
  std::optional<nlohmann::json> message;
  try {
    if (end_.empty() && link_->await_message(waited_for)) message = receive_message(link_->socket());
  } catch (const StuckError& error) {
    end_ = error.what();
    throw;
  } catch (const Error&) {  // treats an incomplete message as no message
  }
  if (!message) throw_lost();
  const std::string operation = message->value("op", "");
  if (operation == "ended") throw_ended(message->value("seen", ""));
  if (operation == "seen") {
    progress_ = message->value("seen", "");
    if (on_progress_) on_progress_(progress_);
    return;
  }
  replies_.emplace(message->at("id").get<uint64_t>(), std::move(*message));
}

void Connection::throw_lost() {
  if (end_.empty()) {
    end_ = link_->how_it_ended();
    if (!ready_ && !progress_.empty()) end_ += " before an iteration was found: at least " + progress_;
  }
  throw DeviceError(end_, remedy(), {}, true);
}

/// Returns the remedy after the end of the process. SIGKILL (9) is the only sign of the system that memory
/// ran out.
std::string Connection::remedy() const {
  if (!ready_) return link_->remedy_of_early_end();
  std::string go_on = "finished rows are kept: continue with the same command and --resume DIR";
  if (end_.find("killed by signal 9") != std::string::npos)
    return "unless a user killed it, memory ran out: use a smaller --batch, --seq-len or model; " + go_on;
  return go_on;
}

void Connection::throw_ended(const std::string& seen) {
  link_->wait_for_exit();
  end_ = link_->how_it_ended() + " before an iteration was found";
  if (!seen.empty()) end_ += ": " + seen;
  throw EndedError(end_, "choose the iteration with --range NAME or --iterations A..B", link_->exit_code());
}

}  // namespace kjoule
