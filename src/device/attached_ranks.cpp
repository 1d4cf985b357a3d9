#include "device/attached_ranks.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "device/protocol.hpp"

namespace kjoule {

namespace {

constexpr int kLookForLaunches_ms = 50;
/// Longest wait for the first launch of a further process after one process has launched something: of one
/// that had used a GPU before, and of another one.
constexpr int64_t kFurtherPatience_ns = 10'000'000'000, kUnusedPatience_ns = 3'000'000'000;

int local_rank_of(const LinkedRank& rank) {
  return rank.info.rank.local_rank.value_or(rank.info.rank.rank.value_or(0));
}

}  // namespace

AttachedRanks::AttachedRanks(const std::vector<WaitingProgram>& processes, InjectionOptions options,
                             const AttachListener& listener)
    : name_(processes.front().name) {
  options.rank_board = board_.path();
  for (const WaitingProgram& process : processes) {
    const auto link = std::make_shared<AttachedProgram>(process);
    const auto connection = std::make_shared<Connection>(link);
    const bool uses_gpu = request_measurement(*connection, options);
    connection->on_progress(listener.is_searched);
    waiting_.push_back({link, connection, uses_gpu, 0});
  }
  listener.accepts();
  for (WaitingRank& rank : waiting_)
    rank.hello = rank.connection->send("hello", {{"version", kProtocolVersion}});
  others_ = wait_for_launches();
  first_ = std::move(others_.front());
  others_.erase(others_.begin());
  board_->lead(first_.info.rank.board.value());
}

std::vector<LinkedRank> AttachedRanks::wait_for_launches() {
  std::vector<LinkedRank> answering;
  const SteadyClock clock;
  int64_t first_ns = 0;
  while (!waiting_.empty()) {
    take_answers(answering);
    if (first_ns == 0 && !answering.empty()) first_ns = clock.now_ns();
    const int64_t patience_ns =
        std::ranges::any_of(waiting_, &WaitingRank::uses_gpu) ? kFurtherPatience_ns : kUnusedPatience_ns;
    if (first_ns != 0 && clock.now_ns() - first_ns > patience_ns) break;
    std::vector<int> sockets;
    for (const WaitingRank& rank : waiting_) sockets.push_back(rank.link->socket());
    await(sockets, kLookForLaunches_ms);
  }
  std::ranges::stable_sort(answering, {}, local_rank_of);
  return answering;
}

void AttachedRanks::take_answers(std::vector<LinkedRank>& answering) {
  const auto answers = [&answering](const WaitingRank& rank) {
    while (rank.link->process().has_message("hello", {}))
      if (rank.connection->receive_reply(rank.hello)) break;
    if (!rank.connection->has_reply(rank.hello)) return false;
    answering.push_back({rank.link, &rank.link->process(),
                         read_fields<DeviceInfo>(rank.connection->reply(rank.hello), "the program's reply")});
    return true;
  };
  std::erase_if(waiting_, answers);
}

void AttachedRanks::await(const std::vector<int>& descriptors, int milliseconds) {
  std::vector<pollfd> watched;
  for (const int descriptor : descriptors) watched.push_back({descriptor, POLLIN, 0});
  poll(watched.data(), watched.size(), milliseconds);
}

void AttachedRanks::check_alone() const {
  if (others_.empty()) return;
  throw Error(
      fmt::format("{} processes have the name {}, but the iteration that was found has no collectives, "
                  "so they are not ranks of one program",
                  others_.size() + 1, name_),
      "choose one with --pid N");
}

}  // namespace kjoule
