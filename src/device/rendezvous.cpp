#include "device/rendezvous.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "device/protocol.hpp"

namespace kjoule {

namespace {

constexpr uint64_t kHelloId = 0;  // the numbers of a Connection begin at 1

void refuse(const Guest& guest, pid_t chosen) {
  try {
    send_message(guest.socket,
                 refusal(Error(fmt::format("kjoule measures process {} of this program", chosen),
                               "--rank R measures another")));
  } catch (const Error&) {  // the process has left already
  }
  close(guest.socket);
}

}  // namespace

Rendezvous::~Rendezvous() {
  for (const Guest& guest : waiting_) close(guest.socket);
  if (chosen_) close(chosen_->socket);
}

bool Rendezvous::await(const std::vector<int>& others, int milliseconds) {
  std::vector<pollfd> watched{{listener_.descriptor(), POLLIN, 0}};
  for (const Guest& guest : waiting_) watched.push_back({guest.socket, POLLIN, 0});
  for (const int other : others) watched.push_back({other, POLLIN, 0});
  if (poll(watched.data(), watched.size(), milliseconds) <= 0) return false;
  const std::vector<Guest> guests = std::exchange(waiting_, {});
  for (size_t g = 0; g < guests.size(); ++g)
    if (chosen_)
      refuse(guests[g], chosen_->pid);
    else if (watched[g + 1].revents != 0)
      hear(guests[g]);
    else
      waiting_.push_back(guests[g]);
  if (watched[0].revents != 0) welcome();
  return true;
}

void Rendezvous::welcome() {
  for (Guest guest = listener_.accept(); guest.socket >= 0; guest = listener_.accept()) {
    if (chosen_) {
      refuse(guest, chosen_->pid);
      continue;
    }
    try {
      send_message(guest.socket, hello(kHelloId));
    } catch (const Error&) {  // the process has left already, but may have sent a message before
    }
    waiting_.push_back(guest);
  }
}

void Rendezvous::hear(const Guest& guest) {
  std::optional<nlohmann::json> message;
  try {
    message = receive_message(guest.socket);
  } catch (const Error&) {  // incomplete message: the process died while it sent it
  }
  if (message && message->contains("id")) return choose(guest, std::move(*message));
  if (message && message->value("op", "") == "seen") {
    waiting_.push_back(guest);
    return;
  }
  // The process is about to end, even if its answer to the greeting is still on the way.
  if (message) last_word_ = message->value("seen", "");
  ++gone_;
  close(guest.socket);
}

void Rendezvous::choose(const Guest& guest, nlohmann::json answer) {
  chosen_ = guest;
  answer_ = std::move(answer);
  for (const Guest& other : std::exchange(waiting_, {})) refuse(other, guest.pid);
}

}  // namespace kjoule
