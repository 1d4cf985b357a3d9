#include "collectives/rank_processes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "device/protocol.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

namespace {

constexpr const char* kDebugRemedy = "NCCL_DEBUG=WARN lets NCCL print the reason";

RunnerCommand rank_command(int rank, int ranks) {
  const RunnerPlaces places = RunnerPlaces::of_this_machine();
  const std::filesystem::path program = places.programs / "kjoule-nccl";
  if (!std::filesystem::exists(program))
    throw Error("the program kjoule-nccl, which runs collectives, is not in the folder of kjoule",
                "install the CUDA toolkit (cuda.h, cupti.h), then run make build in kjoule's source tree");
  RunnerCommand command = places.command(program, {"--fd", "{fd}"});
  command.environment["RANK"] = std::to_string(rank);
  command.environment["WORLD_SIZE"] = std::to_string(ranks);
  return command;
}

/// Waits until one of the sockets can be read or was closed; returns the positions of these. Returns nothing
/// at the end of the time limit.
std::vector<size_t> wait_for_any(const std::vector<int>& sockets, std::chrono::milliseconds limit) {
  std::vector<pollfd> polled;
  for (const int socket : sockets) polled.push_back({socket, POLLIN, 0});
  if (poll(polled.data(), polled.size(), static_cast<int>(std::max<int64_t>(0, limit.count()))) < 0 &&
      errno != EINTR)
    throw Error("kjoule cannot wait for the processes of the ranks");
  std::vector<size_t> ready;
  for (size_t i = 0; i < polled.size(); ++i)
    if (polled[i].revents != 0) ready.push_back(i);
  return ready;
}

}  // namespace

RankProcesses::RankProcesses(std::vector<int> gpus, double time_limit_s)
    : gpus_(std::move(gpus)), time_limit_s_(time_limit_s) {
  for (int rank = 0; rank < size(); ++rank) {
    const RunnerCommand command = rank_command(rank, size());
    processes_.push_back(std::make_unique<ChildProcess>(command.words, command.environment));
  }
  const auto replies = do_step("greet", "open its GPU and load NCCL", [&](int rank) {
    const RankOfGroup place{rank, size(), gpus_[static_cast<size_t>(rank)]};
    return nlohmann::json{{"version", kProtocolVersion}, {"place", write_fields(place)}};
  });
  for (const nlohmann::json& reply : replies)
    greetings_.push_back(read_fields<RankGreeting>(reply, "the greeting of kjoule-nccl"));
  for (int rank = 1; rank < size(); ++rank) {
    const RankGreeting &first = greetings_.front(), &other = greetings_[static_cast<size_t>(rank)];
    if (first.nccl != other.nccl)
      throw Error(fmt::format("{} loads NCCL {} ({}), but {} loads NCCL {} ({})", name_of(0),
                              nccl_version_text(first.nccl), first.library, name_of(rank),
                              nccl_version_text(other.nccl), other.library),
                  "let all ranks load the same library, for example with KJOULE_NCCL=FILE");
  }
  join();
}

void RankProcesses::join() {
  // Only rank 0 makes an id, which names the communicator of all ranks.
  send_message(processes_.front()->socket(), {{"id", ++last_id_}, {"op", "make_id"}});
  const nlohmann::json id = result_of(0, "name the group");
  do_step("join", "join the other ranks", [&](int) { return nlohmann::json{{"id_of_group", id}}; });
}

std::vector<CollectivePasses> RankProcesses::measure(const CollectiveRequest& request,
                                                     const std::string& words) {
  do_step("prepare", "prepare " + words, [&](int) {
    return nlohmann::json{{"collective", write_fields(request)}};
  });
  std::vector<CollectivePasses> passes;
  for (const nlohmann::json& reply :
       do_step("measure", "measure " + words, [](int) { return nlohmann::json::object(); }))
    passes.push_back(read_fields<CollectivePasses>(reply, "the passes of a rank"));
  return passes;
}

std::vector<nlohmann::json> RankProcesses::do_step(const char* step, const std::string& doing,
                                                   const Body& body) {
  ++last_id_;
  for (int rank = 0; rank < size(); ++rank) {
    nlohmann::json message = body(rank);
    message["id"] = last_id_;
    message["op"] = step;
    try {
      send_message(processes_[static_cast<size_t>(rank)]->socket(), message);
    } catch (const Error&) {  // the process has ended, which result_of() notices
    }
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(time_limit_s_);
  std::vector<nlohmann::json> results(gpus_.size());
  std::vector<int> waiting(gpus_.size());
  for (int rank = 0; rank < size(); ++rank) waiting[static_cast<size_t>(rank)] = rank;
  while (!waiting.empty()) {
    std::vector<int> sockets;
    for (const int rank : waiting) sockets.push_back(processes_[static_cast<size_t>(rank)]->socket());
    const auto left = deadline - std::chrono::steady_clock::now();
    const auto ready = wait_for_any(sockets, std::chrono::ceil<std::chrono::milliseconds>(left));
    for (size_t i = ready.size(); i-- > 0;) {
      const int rank = waiting[ready[i]];
      results[static_cast<size_t>(rank)] = result_of(rank, doing);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(ready[i]));
    }
    if (ready.empty() && std::chrono::steady_clock::now() >= deadline) {
      std::vector<std::string> names;
      for (const int rank : waiting) names.push_back(name_of(rank));
      throw Error(
          fmt::format("{} did not {} within {:g} s", fmt::join(names, " and "), doing, time_limit_s_),
          "allow more time with --time-limit, if the machine is busy; otherwise, NCCL_DEBUG=INFO shows "
          "what NCCL waits for");
    }
  }
  return results;
}

nlohmann::json RankProcesses::result_of(int rank, const std::string& doing) {
  ChildProcess& process = *processes_[static_cast<size_t>(rank)];
  std::optional<nlohmann::json> reply;
  try {
    reply = receive_message(process.socket());
  } catch (const Error&) {  // the process ended within a message
  }
  if (!reply) {
    const std::string how = process.how_it_ended(), last = process.last_line();
    throw Error(fmt::format("{} ended before it could {}: {}{}{}", name_of(rank), doing, how,
                            last.empty() ? "" : ": ", last),
                kDebugRemedy);
  }
  if (!reply->contains("error")) return reply->at("result");
  try {
    throw_from_message(reply->at("error"));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name_of(rank), error.what()), error.remedy());
  }
}

std::string RankProcesses::name_of(int rank) const {
  return fmt::format("rank {} (GPU {})", rank, gpus_[static_cast<size_t>(rank)]);
}

std::string nccl_version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace kjoule
