#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/process/process.hpp"
#include "device/collective_protocol.hpp"

namespace kjoule {

/// The processes of kjoule-nccl of a group, one for each GPU of this machine. They do the same steps; when a
/// step fails on one of them, the others may wait for it forever, so all are ended with this object.
class RankProcesses {
 public:
  /// Starts a process for each of the GPUs, whose numbers are those of CUDA, and joins them to a group. Each
  /// step may take `time_limit_s` seconds. Throws Error with the rank that cannot be started, ends or is
  /// late, and if the ranks have different versions of NCCL.
  RankProcesses(std::vector<int> gpus, double time_limit_s);

  int size() const { return static_cast<int>(gpus_.size()); }
  /// Returns what each rank replied to the greeting.
  const std::vector<RankGreeting>& greetings() const { return greetings_; }
  /// Measures one collective on all ranks. Throws Error with the rank that fails, ends or is late. `words`
  /// is the collective in messages: "all_reduce of 4096 bytes".
  std::vector<CollectivePasses> measure(const CollectiveRequest& request, const std::string& words);

 private:
  using Body = std::function<nlohmann::json(int rank)>;
  std::vector<nlohmann::json> do_step(const char* step, const std::string& doing, const Body& body);
  nlohmann::json result_of(int rank, const std::string& doing);
  void join();
  std::string name_of(int rank) const;

  std::vector<int> gpus_;
  double time_limit_s_;
  uint64_t last_id_ = 0;
  std::vector<std::unique_ptr<ChildProcess>> processes_;
  std::vector<RankGreeting> greetings_;
};

/// Returns a version of NCCL as text: "2.27.3" for 22703.
std::string nccl_version_text(int version);

}  // namespace kjoule
