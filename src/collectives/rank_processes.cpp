#include "collectives/rank_processes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"
#include "base/process/poll_limit.hpp"
#include "collectives/machines_of_ranks.hpp"
#include "collectives/rank_rendezvous.hpp"
#include "device/protocol.hpp"

namespace kjoule {

namespace {

std::vector<std::string> machines_of(const std::vector<std::unique_ptr<RankLink>>& ranks) {
  std::vector<std::string> machines;
  for (const auto& rank : ranks) machines.push_back(rank->machine());
  return machines;
}

/// Waits until one of the sockets can be read or was closed; returns the positions of these. Returns nothing
/// at the deadline.
std::vector<size_t> wait_for_any(const std::vector<int>& sockets,
                                 std::chrono::steady_clock::time_point deadline) {
  std::vector<pollfd> polled;
  for (const int socket : sockets) polled.push_back({socket, POLLIN, 0});
  if (poll(polled.data(), polled.size(), poll_limit(deadline)) < 0 && errno != EINTR)
    throw Error("kjoule cannot wait for the processes of the ranks");
  std::vector<size_t> ready;
  for (size_t i = 0; i < polled.size(); ++i)
    if (polled[i].revents != 0) ready.push_back(i);
  return ready;
}

}  // namespace

std::vector<std::unique_ptr<RankLink>> start_ranks(const std::vector<int>& gpus) {
  std::vector<std::unique_ptr<RankLink>> ranks;
  for (const int gpu : gpus)
    ranks.push_back(
        std::make_unique<ChildRank>(static_cast<int>(ranks.size()), static_cast<int>(gpus.size()), gpu));
  return ranks;
}

std::vector<std::unique_ptr<RankLink>> connect_ranks(const GroupPlace& place, double time_limit_s) {
  std::vector<std::unique_ptr<RankLink>> ranks = RankRendezvous(place).await_ranks(time_limit_s);
  ranks.insert(ranks.begin(), std::make_unique<ChildRank>(place.rank, place.ranks, place.gpu, place.machine));
  return ranks;
}

RankProcesses::RankProcesses(std::vector<std::unique_ptr<RankLink>> ranks, double time_limit_s)
    : ranks_(std::move(ranks)), machines_(count_machines(machines_of(ranks_))), time_limit_s_(time_limit_s) {
  const auto replies = do_step("greet", "open its GPU and load NCCL", [&](int number) {
    const RankOfGroup place{number, size(), rank(number).gpu()};
    return nlohmann::json{{"version", kProtocolVersion}, {"place", write_fields(place)}};
  });
  for (const nlohmann::json& reply : replies)
    greetings_.push_back(read_fields<RankGreeting>(reply, "the greeting of kjoule-nccl"));
  check_greetings();
  join();
}

void RankProcesses::check_greetings() const {
  std::map<std::pair<std::string, std::string>, int> ranks;  // by machine and GPU
  for (int number = 0; number < size(); ++number) {
    const auto [other, is_new] =
        ranks.try_emplace({rank(number).machine(), greetings_[static_cast<size_t>(number)].gpu_uuid}, number);
    if (!is_new)
      throw Error(
          fmt::format("{} and {} use the same GPU", rank(other->second).name(), rank(number).name()),
          "start one rank for each GPU, and let each see all GPUs of its machine, or only its own one "
          "(CUDA_VISIBLE_DEVICES)");
  }
  for (int other = 1; other < size(); ++other) {
    const RankGreeting &first = greetings_.front(), &greeting = greetings_[static_cast<size_t>(other)];
    if (first.nccl != greeting.nccl)
      throw Error(fmt::format("{} loads NCCL {} ({}), but {} loads NCCL {} ({})", rank(0).name(),
                              nccl_version_text(first.nccl), first.library, rank(other).name(),
                              nccl_version_text(greeting.nccl), greeting.library),
                  "let all ranks load the same library, for example with KJOULE_NCCL=FILE");
  }
}

void RankProcesses::join() {
  // Only rank 0 makes an id, which names the communicator of all ranks.
  begin_step("make_id", {0}, [](int) { return nlohmann::json::object(); });
  const nlohmann::json id = end_step({0}, "name the group").front();
  do_step("join", "join the other ranks", [&](int) { return nlohmann::json{{"id_of_group", id}}; });
}

void RankProcesses::finish() {
  for (const auto& rank : ranks_) rank->finish();
}

void RankProcesses::prepare(const CollectiveRequest& request, const std::string& words) {
  prepared_ = words;
  do_step("prepare", "prepare " + words, [&](int) {
    return nlohmann::json{{"collective", write_fields(request)}};
  });
}

std::vector<CollectivePasses> RankProcesses::measure() {
  std::vector<CollectivePasses> passes;
  for (const nlohmann::json& reply :
       do_step("measure", "measure " + prepared_, [](int) { return nlohmann::json::object(); }))
    passes.push_back(read_fields<CollectivePasses>(reply, "the passes of a rank"));
  return passes;
}

void RankProcesses::begin_repeats(int64_t times) {
  begin_step("repeat", all_numbers(), [&](int) { return nlohmann::json{{"times", times}}; });
}

std::vector<CollectiveRepeats> RankProcesses::end_repeats() {
  std::vector<CollectiveRepeats> repeats;
  for (const nlohmann::json& reply : end_step(all_numbers(), "repeat " + prepared_))
    repeats.push_back(read_fields<CollectiveRepeats>(reply, "the repeats of a rank"));
  return repeats;
}

std::vector<nlohmann::json> RankProcesses::do_step(const char* step, const std::string& doing,
                                                   const Body& body) {
  begin_step(step, all_numbers(), body);
  return end_step(all_numbers(), doing);
}

RankProcesses::RankNumbers RankProcesses::all_numbers() const {
  RankNumbers numbers(ranks_.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

void RankProcesses::begin_step(const char* step, const RankNumbers& numbers, const Body& body) {
  ++last_id_;
  for (const int number : numbers) {
    nlohmann::json message = body(number);
    message["id"] = last_id_;
    message["op"] = step;
    try {
      send_message(rank(number).socket(), message);
    } catch (const Error&) {  // the process has ended, which receive_result() notices
    }
  }
}

std::vector<nlohmann::json> RankProcesses::end_step(const RankNumbers& numbers, const std::string& doing) {
  if (has_failed_) throw Error("a rank did not complete an earlier step", kBugRemedy);
  has_failed_ = true;  // until all ranks have answered
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(std::llround(1e3 * time_limit_s_));
  std::vector<nlohmann::json> results(numbers.size());
  std::vector<size_t> waiting(numbers.size());  // positions in `numbers`
  std::iota(waiting.begin(), waiting.end(), size_t{0});
  const auto waiting_rank = [&](size_t position) -> RankLink& { return rank(numbers[position]); };
  while (!waiting.empty()) {
    std::vector<int> sockets;
    for (const size_t position : waiting) sockets.push_back(waiting_rank(position).socket());
    const std::vector<size_t> ready = wait_for_any(sockets, deadline);
    for (size_t i = ready.size(); i-- > 0;) {
      const size_t position = waiting[ready[i]];
      results[position] = waiting_rank(position).receive_result(doing);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(ready[i]));
    }
    if (ready.empty() && std::chrono::steady_clock::now() >= deadline) {
      std::vector<std::string> names;
      for (const size_t position : waiting) names.push_back(waiting_rank(position).name());
      throw Error(
          fmt::format("{} did not {} within {:g} s", fmt::join(names, " and "), doing, time_limit_s_),
          "allow more time with --time-limit, if the machine is busy; otherwise, NCCL_DEBUG=INFO shows "
          "what NCCL waits for");
    }
  }
  has_failed_ = false;
  return results;
}

std::string nccl_version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace kjoule
