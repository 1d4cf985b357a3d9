#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/attached_program.hpp"
#include "device/connection.hpp"
#include "device/rank_board.hpp"
#include "device/ranked_program.hpp"

namespace kjoule {

/// The links to running processes of one program that waited to be measured (kjoule env). They are measured
/// together, and continue together afterwards.
class AttachedRanks final : public RankedProgram {
 public:
  /// Requests the measurement of all processes, and waits until they launch something. Processes that
  /// launch nothing for some seconds after the first one did are left out, earlier if they have not used a
  /// GPU before, as a launcher of ranks. Throws Error like attach().
  AttachedRanks(const std::vector<WaitingProgram>& processes, InjectionOptions options,
                const AttachListener& listener);

  /// Returns the process with the lowest local rank.
  const LinkedRank& first() const { return first_; }
  const std::vector<LinkedRank>& other_ranks() override { return others_; }
  void link_no_more() override { waiting_.clear(); }
  RankBoard* board() const override { return &*board_; }
  void await(const std::vector<int>& descriptors, int milliseconds) override;
  void check_alone() const override;
  void part() override {}

 private:
  /// A process that has accepted the request, and has not launched anything yet.
  struct WaitingRank {
    std::shared_ptr<AttachedProgram> link;
    std::shared_ptr<Connection> connection;
    bool uses_gpu = false;  ///< whether it had used a GPU before the request
    uint64_t hello = 0;     ///< the number of the greeting
  };
  /// Returns the processes that launch something, that with the lowest local rank first.
  std::vector<LinkedRank> wait_for_launches();
  /// Adds the processes whose answers have arrived.
  void take_answers(std::vector<LinkedRank>& answering);

  SharedRankBoard board_;
  std::string name_;  ///< of the program
  std::vector<WaitingRank> waiting_;
  LinkedRank first_;
  std::vector<LinkedRank> others_;
};

}  // namespace kjoule
