#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "collectives/group_place.hpp"
#include "collectives/rank_link.hpp"
#include "device/collective_protocol.hpp"

namespace kjoule {

/// Starts a process of kjoule-nccl for each of the GPUs of this machine, whose numbers are those of CUDA.
/// Throws Error if one cannot be started.
std::vector<std::unique_ptr<RankLink>> start_ranks(const std::vector<int>& gpus);
/// On rank 0 of a group that torchrun or srun started: waits until all other ranks have connected, and starts
/// the process of this rank. Throws the errors of RankRendezvous.
std::vector<std::unique_ptr<RankLink>> connect_ranks(const GroupPlace& place, double time_limit_s);

/// The processes of kjoule-nccl of a group, one for each GPU. They do the same steps; when a step fails on
/// one of them, the others may wait for it forever, so all are ended with this object.
class RankProcesses {
 public:
  /// Joins the ranks to a group. Each step may take `time_limit_s` seconds. Throws Error with the rank that
  /// ends or is late, if the ranks have different versions of NCCL, and if machines have different numbers
  /// of ranks.
  RankProcesses(std::vector<std::unique_ptr<RankLink>> ranks, double time_limit_s);

  int size() const { return static_cast<int>(ranks_.size()); }
  /// Returns the number of machines on which the ranks run.
  int machines() const { return machines_; }
  /// Returns what each rank replied to the greeting.
  const std::vector<RankGreeting>& greetings() const { return greetings_; }
  /// Makes a collective ready on all ranks. `words` is the collective in messages: "all_reduce of 4096
  /// bytes". This function, measure() and end_repeats() throw Error with the rank that fails, ends or is
  /// late; afterwards, they throw at once.
  void prepare(const CollectiveRequest& request, const std::string& words);
  /// Times the prepared collective.
  std::vector<CollectivePasses> measure();
  /// Lets all ranks repeat the prepared collective so many times, after the repeats that were begun before.
  void begin_repeats(int64_t times);
  /// Waits for the oldest repeats that were begun, and returns what each rank replied.
  std::vector<CollectiveRepeats> end_repeats();
  /// Ends the ranks without an error.
  void finish();

 private:
  using Body = std::function<nlohmann::json(int rank)>;
  using RankNumbers = std::vector<int>;
  /// Lets all ranks do a step, and returns their results. `doing` is the step in messages: "open its GPU".
  std::vector<nlohmann::json> do_step(const char* step, const std::string& doing, const Body& body);
  void begin_step(const char* step, const RankNumbers& numbers, const Body& body);
  /// Waits for the results of the ranks of a step, in the order of `numbers`.
  std::vector<nlohmann::json> end_step(const RankNumbers& numbers, const std::string& doing);
  RankNumbers all_numbers() const;
  void check_greetings() const;
  void join();
  RankLink& rank(int number) const { return *ranks_[static_cast<size_t>(number)]; }

  std::vector<std::unique_ptr<RankLink>> ranks_;
  int machines_;
  double time_limit_s_;
  uint64_t last_id_ = 0;
  std::vector<RankGreeting> greetings_;
  std::string prepared_;     ///< the prepared collective in messages
  bool has_failed_ = false;  ///< whether a step was not completed
};

/// Returns a version of NCCL as text: "2.27.3" for 22703.
std::string nccl_version_text(int version);

}  // namespace kjoule
