#include "nccl/serve_rank.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/bug_remedy.hpp"
#include "base/process/fault.hpp"
#include "device/protocol.hpp"
#include "nccl/collective_rank.hpp"

namespace kjoule::nccl {

namespace {

class RankServer {
 public:
  nlohmann::json answer(const nlohmann::json& request) {
    const auto step = request.at("op").get<std::string>();
    if (step == "greet") return greet(request);
    if (!rank_) throw Error("kjoule sent " + step + " before its greeting", kBugRemedy);
    if (step == "make_id") return rank_->make_id();
    if (step == "measure") return write_fields(rank_->measure());
    if (step == "repeat") return write_fields(rank_->repeat(request.at("times").get<int64_t>()));
    if (step == "join")
      rank_->join(request.at("id_of_group").get<std::string>());
    else if (step == "prepare")
      rank_->prepare(read_fields<CollectiveRequest>(request.at("collective"), "collective"));
    else
      throw Error("kjoule-nccl does not know the step " + step, kBugRemedy);
    return nullptr;
  }

 private:
  nlohmann::json greet(const nlohmann::json& request) {
    if (request.at("version").get<int>() != kProtocolVersion)
      throw Error("kjoule and kjoule-nccl have different versions of their protocol",
                  "install both from the same build");
    rank_.emplace(read_fields<RankOfGroup>(request.at("place"), "place"));
    return write_fields(rank_->greeting());
  }

  std::optional<CollectiveRank> rank_;
};

}  // namespace

void serve_rank(int socket) {
  RankServer server;
  try {
    while (const auto request = receive_message(socket)) {
      nlohmann::json reply{{"id", request->at("id")}};
      try {
        reply["result"] = server.answer(*request);
      } catch (const Error& error) {
        reply["error"] = to_message(error);
      } catch (const std::exception& error) {
        reply["error"] = to_message(fault_of(error));
      }
      send_message(socket, reply);
    }
  } catch (const Error&) {  // kjoule is gone
  }
}

}  // namespace kjoule::nccl
