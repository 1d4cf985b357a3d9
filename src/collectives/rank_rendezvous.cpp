#include "collectives/rank_rendezvous.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/process/poll_limit.hpp"
#include "device/protocol.hpp"
#include "sampling/sample_name.hpp"

namespace kjoule {

namespace {

constexpr size_t kMostStrangers = 128;
/// Number of connections that are accepted before those that have sent something are read.
constexpr size_t kAcceptedTogether = kMostStrangers / 2;

/// Answers a hello. The connection may be lost already, which is noticed later.
void answer(const TcpSocket& socket, const nlohmann::json& message) {
  try {
    send_message(socket.descriptor(), message);
  } catch (const Error&) {
  }
}

}  // namespace

RankRendezvous::RankRendezvous(const GroupPlace& place)
    : place_(place),
      listener_(place.port,
                place.is_one_machine ? TcpListener::Reach::this_machine : TcpListener::Reach::all_machines),
      ranks_(static_cast<size_t>(place.ranks - 1)) {}

std::vector<std::unique_ptr<RankLink>> RankRendezvous::await_ranks(double time_limit_s) {
  using std::chrono::steady_clock;
  patience_ = std::chrono::milliseconds(std::llround(1e3 * time_limit_s));
  const Time deadline = steady_clock::now() + patience_;
  while (!is_complete()) {
    if (steady_clock::now() >= deadline)
      throw Error(
          fmt::format("{} did not connect to port {} of {} within {:g} s", missing_ranks(), port(),
                      place_.machine, time_limit_s),
          "check that all ranks have started, and that their machines reach this port (--port chooses "
          "another one); allow more time with --time-limit");
    wait_until(deadline);
    read_strangers();
    accept_connections();
  }
  strangers_.clear();
  return std::exchange(ranks_, {});
}

bool RankRendezvous::is_complete() const {
  return std::ranges::all_of(ranks_, [](const auto& rank) { return rank != nullptr; });
}

void RankRendezvous::wait_until(Time deadline) {
  std::vector<pollfd> polled;
  for (const Stranger& stranger : strangers_) {
    polled.push_back({stranger.socket.descriptor(), POLLIN, 0});
    deadline = std::min(deadline, stranger.until);
  }
  polled.push_back({listener_.descriptor(), POLLIN, 0});
  const size_t before_ranks = polled.size();
  std::vector<RankLink*> links;
  for (const auto& rank : ranks_) {
    if (!rank) continue;
    links.push_back(rank.get());
    polled.push_back({rank->socket(), POLLIN, 0});
  }
  if (poll(polled.data(), polled.size(), poll_limit(deadline)) <= 0) return;
  // A rank sends nothing before it is asked, unless it fails.
  for (size_t i = 0; i < links.size(); ++i)
    if (polled[before_ranks + i].revents != 0) links[i]->receive_result("meet the other ranks");
}

void RankRendezvous::accept_connections() {
  for (size_t accepted = 0; accepted < kAcceptedTogether; ++accepted) {
    TcpSocket socket = listener_.accept();
    if (socket.descriptor() < 0) return;
    strangers_.push_back({std::move(socket), std::chrono::steady_clock::now() + kHelloPatience});
    if (strangers_.size() > kMostStrangers) strangers_.pop_front();
  }
}

void RankRendezvous::read_strangers() {
  const Time now = std::chrono::steady_clock::now();
  for (auto stranger = strangers_.begin(); stranger != strangers_.end();) {
    const FirstMessage::State state = stranger->message.read(stranger->socket.descriptor());
    if (state == FirstMessage::State::complete)
      receive(std::move(stranger->socket), stranger->message.content());
    const bool is_kept = state == FirstMessage::State::incomplete && now < stranger->until;
    stranger = is_kept ? std::next(stranger) : strangers_.erase(stranger);
  }
}

void RankRendezvous::receive(TcpSocket socket, const nlohmann::json& message) {
  if (!is_of_run(message, place_.run)) return;
  RankHello hello;
  try {
    hello = read_hello(message);
  } catch (const Error& error) {
    answer(socket, refusal_message(error));
    throw;
  }
  accept_or_refuse(std::move(socket), hello);
}

void RankRendezvous::accept_or_refuse(TcpSocket socket, const RankHello& hello) {
  const std::string name = name_of_rank(hello.rank, hello.gpu, hello.machine);
  const bool is_of_group = hello.ranks == place_.ranks && hello.rank > 0 && hello.rank < place_.ranks;
  if (!is_of_group)
    return answer(socket,
                  refusal_message(Error(fmt::format("{} of {} does not belong to the group of {} ranks on {}",
                                                    name, hello.ranks, place_.ranks, place_.machine),
                                        "start all ranks with one torchrun or srun")));
  std::unique_ptr<RankLink>& place = ranks_[static_cast<size_t>(hello.rank - 1)];
  if (place)
    return answer(socket,
                  refusal_message(Error(fmt::format("{} has connected already, as {}", name, place->name()),
                                        "start each rank once")));
  answer(socket, {{"op", "welcome"}});
  socket.limit_waiting(patience_);
  place = std::make_unique<RemoteRank>(std::move(socket), hello.rank, hello.gpu, hello.machine);
}

std::string RankRendezvous::missing_ranks() const {
  std::vector<size_t> missing;
  for (size_t i = 0; i < ranks_.size(); ++i)
    if (!ranks_[i]) missing.push_back(i + 1);
  return (missing.size() == 1 ? "rank " : "ranks ") + number_spans(missing);
}

}  // namespace kjoule
