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
#include "device/injected_program.hpp"

namespace kjoule {

/// A rank of a program whose ranks were recorded together.
struct RecordedRank {
  DeviceInfo info;
  Recording recording;
  pid_t process = 0;
};

/// The connections to the ranks of a program, of which one is in use: its replies count. Each request goes to
/// all ranks, because they replay in step. At first there is only the rank that was linked first.
class RankGroup {
 public:
  explicit RankGroup(std::shared_ptr<InjectedProgram> program);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  /// Records what `operation` asks the first rank for, lets the others that are linked meanwhile follow, and
  /// returns the first rank's reply.
  nlohmann::json record(const char* operation, nlohmann::json body);
  /// Returns all ranks, the measured one first, after several have recorded an iteration; empty otherwise.
  const std::vector<RecordedRank>& ranks() const { return ranks_; }
  /// Uses another rank from now on.
  void use_as(size_t rank) { used_ = rank; }
  const DeviceInfo& info() const { return members_[used_].info; }

  /// Sends a request to all ranks, and returns the reply of the one in use. Throws as replies() does.
  nlohmann::json call(const char* operation, const nlohmann::json& body);
  /// Opens a track on all ranks: `spec` on that in use, and what accompanies it on the others. Returns the
  /// tracks by rank.
  std::vector<uint64_t> open(const TrackSpec& spec);

  /// The numbers of one request, by rank.
  using Requests = std::vector<uint64_t>;
  /// Sends a request about these tracks, and returns at once.
  Requests send(const char* operation, const std::vector<uint64_t>& tracks,
                nlohmann::json body = nlohmann::json::object());
  /// Waits for the replies of all ranks, and returns that of the one in use. Throws the error of a rank, with
  /// `lost` set unless all ranks have failed and can go on, and StuckError if the ranks do not come further.
  nlohmann::json reply(const char* operation, const Requests& requests);

 private:
  struct Member {
    std::shared_ptr<Connection> connection;
    MeasuredProcess* process;
    DeviceInfo info;
    std::shared_ptr<RankLink> link;  ///< null for the first rank
  };
  /// The reply of a rank, or its error; neither as long as it has not answered.
  struct Answer {
    nlohmann::json result;
    std::exception_ptr error;
    bool is_there = false;
  };
  /// How far the ranks were when they came further last.
  struct Progress {
    uint64_t steps;
    int64_t since_ns;
  };

  RankBoard* board() const { return program_->board() == nullptr ? nullptr : &**program_->board(); }
  uint64_t steps() const { return board() == nullptr ? 0 : board()->steps(); }
  /// Returns the answers to a request. If `others_may_come`, ranks that are linked meanwhile follow.
  std::vector<Answer> answers(const char* operation, Requests requests, bool others_may_come = false);
  /// Takes the answers that have come. Returns what the others will signal with: their descriptors.
  std::vector<int> take_answers(const char* operation, const Requests& requests, int64_t begin_ns,
                                std::vector<Answer>& answers);
  Answer answer_of(Member& member, const char* operation, uint64_t request, int64_t begin_ns) const;
  /// Lets the ranks that are linked now follow the first one. Adds their requests.
  void let_others_follow(Requests& requests);
  /// Waits for answers of the other ranks, after one has failed, and throws what it failed of.
  [[noreturn]] void throw_failure(const char* operation, const Requests& requests, int64_t begin_ns,
                                  std::vector<Answer>& answers);
  void throw_if_stuck(Progress& progress) const;
  /// Keeps the ranks that have recorded the announced iteration.
  void keep_recorded(const std::vector<Answer>& recordings);
  /// Lets all ranks but the first one go on.
  void release_others();
  TrackSpec spec_for(size_t member, const TrackSpec& spec) const;

  std::shared_ptr<InjectedProgram> program_;
  std::vector<Member> members_;  ///< the first rank first
  std::vector<RecordedRank> ranks_;
  size_t used_ = 0;
};

}  // namespace kjoule
