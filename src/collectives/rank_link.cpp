#include "collectives/rank_link.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "collectives/group_place.hpp"
#include "device/protocol.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

namespace {

ChildProcess start_rank(int rank, int ranks) {
  const RunnerPlaces places = RunnerPlaces::of_this_machine();
  const std::filesystem::path program = places.programs / "kjoule-nccl";
  if (!std::filesystem::exists(program))
    throw Error("the program kjoule-nccl, which runs collectives, is not in the folder of kjoule",
                "install the CUDA toolkit (cuda.h, cupti.h), then run make build in kjoule's source tree");
  RunnerCommand command = places.command(program, {"--fd", "{fd}"});
  command.environment["RANK"] = std::to_string(rank);
  command.environment["WORLD_SIZE"] = std::to_string(ranks);
  // Otherwise, NCCL adds event nodes to graphs, which cost 6 to 8 us for each collective.
  if (std::getenv("NCCL_GRAPH_MIXING_SUPPORT") == nullptr)
    command.environment["NCCL_GRAPH_MIXING_SUPPORT"] = "0";
  return ChildProcess(command.words, command.environment);
}

}  // namespace

RankLink::RankLink(int rank, int gpu, std::string machine)
    : gpu_(gpu), machine_(std::move(machine)), name_(name_of_rank(rank, gpu, machine_)) {}

nlohmann::json RankLink::receive_result(const std::string& doing) {
  std::optional<nlohmann::json> reply;
  try {
    reply = receive_message(socket());
  } catch (const Error&) {  // the process ended within a message
  }
  if (!reply || reply->contains("ended")) {
    const RankEnd ended = reply ? RankEnd{reply->value("ended", ""), kNcclEndRemedy} : end();
    throw Error(fmt::format("{} ended before it could {}: {}", name_, doing, ended.how), ended.remedy);
  }
  if (!reply->contains("error")) return reply->at("result");
  try {
    throw_from_message(reply->at("error"));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name_, error.what()), error.remedy());
  }
}

ChildRank::ChildRank(int rank, int ranks, int gpu, std::string machine)
    : RankLink(rank, gpu, std::move(machine)), process_(start_rank(rank, ranks)) {}

RankEnd ChildRank::end() {
  const std::string how = process_.how_it_ended(), last = process_.last_line();
  return {last.empty() ? how : how + ": " + last, kNcclEndRemedy};
}

void RemoteRank::finish() {
  try {
    send_message(socket(), {{"op", "end"}});
  } catch (const Error&) {  // its kjoule has ended already, after all rows were complete
  }
}

}  // namespace kjoule
