#include "collectives/group_member.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/process/poll_limit.hpp"
#include "collectives/first_message.hpp"
#include "collectives/rank_hello.hpp"
#include "collectives/rank_link.hpp"
#include "device/protocol.hpp"

namespace kjoule {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kBetweenTries{100};
/// Time for rank 0 to report an error of this rank, before the launcher ends all ranks because of this one.
constexpr milliseconds kReportPatience{5000};

milliseconds left_until(steady_clock::time_point deadline) {
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(deadline - steady_clock::now()));
}

/// Waits until the socket can be read or was closed. Returns false at the deadline.
bool is_readable_before(int socket, steady_clock::time_point deadline) {
  pollfd readable{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&readable, 1, poll_limit(deadline)) > 0;
}

/// Returns the answer to a hello; nothing if there is none, or none of a kjoule.
std::optional<nlohmann::json> receive_answer(const TcpSocket& socket, steady_clock::time_point deadline) {
  FirstMessage answer;
  while (is_readable_before(socket.descriptor(), deadline)) {
    const FirstMessage::State state = answer.read(socket.descriptor());
    if (state == FirstMessage::State::complete) return answer.content();
    if (state == FirstMessage::State::invalid) return {};
  }
  return {};
}

/// Tries once to connect. Throws Error if rank 0 refuses this rank.
TcpConnection try_to_join(const GroupPlace& place, steady_clock::time_point deadline) {
  TcpConnection connection = connect_tcp(place.address, place.port, left_until(deadline));
  if (connection.socket.descriptor() < 0) return connection;
  std::optional<nlohmann::json> answer;
  try {
    send_message(connection.socket.descriptor(), write_fields(hello_of(place)));
    answer = receive_answer(connection.socket, deadline);
  } catch (const Error&) {  // the other end has closed the connection
  }
  if (answer && answer->contains("error")) throw_from_message(answer->at("error"));
  if (answer && answer->value("op", "") == "welcome") return connection;
  return {TcpSocket(), "the port is used by another program, or another run of kjoule"};
}

/// The messages between rank 0 and the kjoule-nccl of this rank.
class ForwardedMessages {
 public:
  ForwardedMessages(const GroupPlace& place, TcpSocket first, milliseconds limit)
      : place_(place), first_(std::move(first)), limit_(limit) {}

  /// Forwards messages until rank 0 ends the run.
  void forward() {
    start();
    while (!is_over_) {
      // Between two requests, rank 0 waits for this rank and for the slowest one, each up to the limit.
      std::array<pollfd, 2> polled{{{first_.descriptor(), POLLIN, 0}, {rank_->socket(), POLLIN, 0}}};
      const int ready = poll(polled.data(), polled.size(), poll_limit(2 * limit_));
      if (ready == 0)
        throw Error(fmt::format("{}: rank 0 has sent nothing for {:g} s", place_.name(),
                                2e-3 * static_cast<double>(limit_.count())),
                    "check that the machine of rank 0 can still be reached");
      if (ready > 0 && polled[0].revents != 0) forward_request();
      if (ready > 0 && polled[1].revents != 0 && !is_over_) forward_reply();
    }
  }

 private:
  void start() {
    try {
      rank_.emplace(place_.rank, place_.ranks, place_.gpu, place_.machine);
    } catch (const Error& error) {
      report({{"error", to_message(error)}});
      throw;
    }
  }

  void forward_request() {
    std::optional<nlohmann::json> request;
    try {
      request = receive_message(first_.descriptor());
    } catch (const Error&) {  // rank 0 has ended within a message
    }
    if (!request) throw_lost();
    if (request->value("op", "") == "end") {
      is_over_ = true;
      return;
    }
    try {
      send_message(rank_->socket(), *request);
    } catch (const Error&) {  // kjoule-nccl has ended, which forward_reply() notices
    }
  }

  void forward_reply() {
    std::optional<nlohmann::json> reply;
    try {
      reply = receive_message(rank_->socket());
    } catch (const Error&) {  // kjoule-nccl has ended within a message
    }
    if (reply) return report(*reply);
    const RankEnd ended = rank_->end();
    report({{"ended", ended.how}});
    is_readable_before(first_.descriptor(), steady_clock::now() + kReportPatience);
    throw Error(fmt::format("{} ended before the run was complete: {}", place_.name(), ended.how),
                ended.remedy);
  }

  void report(const nlohmann::json& message) const {
    try {
      send_message(first_.descriptor(), message);
    } catch (const Error&) {  // rank 0 has ended, which forward_request() notices
    }
  }

  [[noreturn]] void throw_lost() const {
    throw Error(fmt::format("{}: rank 0 ended before the run was complete", place_.name()),
                "the error message of rank 0 states the reason");
  }

  const GroupPlace& place_;
  TcpSocket first_;  ///< to rank 0
  milliseconds limit_;
  std::optional<ChildRank> rank_;
  bool is_over_ = false;
};

}  // namespace

TcpSocket connect_to_first_rank(const GroupPlace& place, double time_limit_s) {
  const auto deadline = steady_clock::now() + milliseconds(std::llround(1e3 * time_limit_s));
  while (true) {
    TcpConnection connection = try_to_join(place, deadline);
    if (connection.socket.descriptor() >= 0) return std::move(connection.socket);
    if (steady_clock::now() >= deadline)
      throw Error(fmt::format("{} could not connect to rank 0 at {}, port {}, within {:g} s: {}",
                              place.name(), place.address, place.port, time_limit_s, connection.lack),
                  "check that rank 0 has started and that its machine can be reached by this address "
                  "(MASTER_ADDR) and port (--port)");
    std::this_thread::sleep_for(std::min(kBetweenTries, left_until(deadline)));
  }
}

void take_part(const GroupPlace& place, double time_limit_s) {
  const milliseconds limit(std::llround(1e3 * time_limit_s));
  TcpSocket first = connect_to_first_rank(place, time_limit_s);
  first.limit_waiting(limit);
  ForwardedMessages(place, std::move(first), limit).forward();
}

}  // namespace kjoule
