#pragma once
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/connection.hpp"
#include "device/device.hpp"
#include "device/ranked_program.hpp"
#include "device/ranks.hpp"

namespace kjoule {

/// The connections to the ranks of a program, which replay in step. Each request is sent to all ranks, and
/// the reply of the rank in use (use_as()) is returned. At first the group contains only the rank that
/// connected first.
class RankGroup {
 public:
  /// `first` is the process that connected first.
  RankGroup(std::shared_ptr<RankedProgram> program, LinkedRank first);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  /// Sends the request `operation`, which records a window, to the first rank, and returns the first rank's
  /// reply. Ranks that connect before this reply follow the first rank.
  nlohmann::json record(const char* operation, nlohmann::json body);
  /// Returns the ranks that have recorded an iteration together, the measured rank first. Empty if only one
  /// rank has recorded.
  const std::vector<RecordedRank>& ranks() const { return ranks_; }
  /// Makes `rank`, an index in ranks(), the rank in use.
  void use_as(size_t rank) { used_ = rank; }
  const DeviceInfo& info() const { return members_[used_].info; }

  /// Sends a request to all ranks, and returns the reply of the rank in use. Throws the same errors as
  /// reply().
  nlohmann::json call(const char* operation, const nlohmann::json& body);
  /// Sends a request to all ranks, and returns all replies, in the order of ranks(). Throws the same errors
  /// as reply().
  std::vector<nlohmann::json> call_all(const char* operation, const nlohmann::json& body);
  /// Opens a track on each rank: `spec` on the rank in use, and the same number of plain iterations on all
  /// other ranks. Returns the number of the track on each rank.
  std::vector<uint64_t> open(const TrackSpec& spec);

  /// The numbers of one request, one for each rank.
  using Requests = std::vector<uint64_t>;
  /// Sends the request `operation` about these tracks (one number for each rank), and returns at once.
  Requests send(const char* operation, const std::vector<uint64_t>& tracks,
                nlohmann::json body = nlohmann::json::object());
  /// Waits for the replies of all ranks, and returns the reply of the rank in use. If a rank failed, throws
  /// the error of this rank. `lost` is set in the error, unless all ranks failed with errors after which they
  /// can continue. Throws StuckError if the ranks make no progress.
  nlohmann::json reply(const char* operation, const Requests& requests);

 private:
  struct Member {
    explicit Member(LinkedRank linked)
        : connection(std::make_shared<Connection>(linked.link)),
          process(linked.process),
          info(std::move(linked.info)),
          link(linked.link.get()) {}
    std::shared_ptr<Connection> connection;
    MeasuredProcess* process;
    DeviceInfo info;
    const Link* link;
  };
  /// The reply of a rank, or its error. `is_there` is false until the rank has answered.
  struct Answer {
    nlohmann::json result;
    std::exception_ptr error;
    bool is_there = false;
  };
  /// The last progress of the ranks.
  struct Progress {
    uint64_t steps;    ///< RankBoard::steps() after it
    int64_t since_ns;  ///< its time
  };

  RankBoard* board() const { return program_->board(); }
  uint64_t steps() const { return board() == nullptr ? 0 : board()->steps(); }
  /// Returns the answers to a request. If `others_may_come`, ranks that connect while the function waits
  /// follow the first rank.
  std::vector<Answer> answers(const char* operation, Requests requests, bool others_may_come = false);
  /// Stores the answers that have arrived. Returns the descriptors that become readable when the other ranks
  /// answer or end.
  std::vector<int> take_answers(const char* operation, const Requests& requests, int64_t begin_ns,
                                std::vector<Answer>& answers);
  Answer answer_of(Member& member, const char* operation, uint64_t request, int64_t begin_ns) const;
  /// Lets the ranks that have connected follow the first one, and adds the numbers of their requests.
  void let_others_follow(Requests& requests);
  /// After a rank has failed, waits for the answers of the other ranks, and throws the error of the rank that
  /// caused the failure, not the errors that other ranks report because of it.
  [[noreturn]] void throw_failure(const char* operation, const Requests& requests, int64_t begin_ns,
                                  std::vector<Answer>& answers);
  void throw_if_stuck(Progress& progress) const;
  /// Removes the ranks that have not recorded the announced iteration.
  void keep_recorded(const std::vector<Answer>& recordings);
  /// Lets all ranks but the first one go on.
  void release_others();
  TrackSpec spec_for(size_t member, const TrackSpec& spec) const;

  std::shared_ptr<RankedProgram> program_;
  std::vector<Member> members_;  ///< the first rank first
  std::vector<RecordedRank> ranks_;
  size_t used_ = 0;
};

}  // namespace kjoule
