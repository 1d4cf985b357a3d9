#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/connection.hpp"
#include "device/forwarding_device.hpp"
#include "device/ranks.hpp"
#include "device/runner_work.hpp"

namespace kjoule {

/// The parts of one model that are ranks of a program on the CPU. Each part runs in a process of its own
/// (kjoule-torch). All processes answer the same requests at the same time, so that the collectives of the
/// ranks meet. The replies of the rank in use are returned; at first, this is rank 0.
class ModelsInStep final : public ForwardingDevice, public Ranks {
 public:
  /// Starts a process for each of `works`, which differ in their models and ranks. Throws Error if a process
  /// cannot be started, or cannot open its model.
  ModelsInStep(const std::vector<std::string>& command, const Environment& more,
               const std::vector<RunnerWork>& works);
  const DeviceInfo& info() const override { return members_[used_].rank.info; }
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  const std::vector<RecordedRank>& ranks() const override { return recorded_; }
  void use_as(size_t rank) override { used_ = rank; }
  std::vector<std::vector<CollectiveTimes>> time_collectives_of_all(int repeats) override;
  bool share_a_meter() const override { return true; }

  /// The numbers of one request, one for each rank.
  using Requests = std::vector<uint64_t>;
  /// Sends a request to all ranks, and returns at once. `bodies` has one body for all ranks, or one for each.
  Requests send(const char* operation, const std::vector<nlohmann::json>& bodies);
  /// Waits for the replies of all ranks, and returns them. If a rank failed, throws its error.
  std::vector<nlohmann::json> replies(const Requests& requests);
  /// Waits for the replies of all ranks, and returns that of the rank in use.
  nlohmann::json reply(const Requests& requests) { return std::move(replies(requests)[used_]); }

 private:
  struct Member {
    std::shared_ptr<ChildLink> link;
    std::unique_ptr<Connection> connection;
    RecordedRank rank;
  };
  nlohmann::json call(const char* operation, const nlohmann::json& body) override;
  nlohmann::json call_to_record(const char* operation, const nlohmann::json& body) override;

  std::vector<Member> members_;  ///< by rank
  std::vector<RecordedRank> recorded_;
  size_t used_ = 0;
};

}  // namespace kjoule
