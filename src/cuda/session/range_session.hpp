#pragma once
#include <deque>
#include <string>

#include "cuda/session/session.hpp"

namespace kjoule::cuda {

/// A session for programs that mark their iterations with NVTX ranges. An iteration contains all launches of
/// all threads while a range of the given name is open. Nested ranges of this name belong to the outer one.
/// Ranges without launches are ignored.
///
/// If nothing is launched between two consecutive ranges, a range is recorded as an iteration: its first
/// launch directly follows the last launch of the previous range. Otherwise a range is a window that is not
/// an iteration (WindowEdges), with launches before the range as lead and launches after the range as tail.
/// The lead begins after the end of the previous range, at a launch that is chosen from the numbers of
/// launches between earlier ranges.
class RangeSession final : public Session {
 public:
  /// The first `warm_up_ranges` ranges pass unrecorded while the program loads and tunes. The next `passed`
  /// ranges also pass, but their times are kept. The range after these is recorded.
  RangeSession(std::string name, int warm_up_ranges, int passed)
      : name_(std::move(name)), warm_up_ranges_(warm_up_ranges), passed_(passed) {}
  Step next(const NextLaunch& launch) override;
  void begin_range(std::string_view name, int64_t time_ns) override;
  bool end_range(std::string_view name, int64_t time_ns) override;
  bool is_timing() const override { return static_cast<int>(spans_.size()) >= warm_up_ranges_; }
  bool is_complete() const override;
  bool may_end() const override { return state_ == State::tail; }
  WindowEdges edges() const override { return edges_; }
  bool can_record_next() const override { return edges_.is_closed(); }
  void record_next() override { state_ = State::passing; }
  bool runs_ahead() const override { return true; }  // a range may end before its launches do
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed_iterations() const override;
  std::string describe_iteration() const override { return "the launches within the range " + name_; }
  std::string best_guess() const override;

 private:
  enum class State { passing, lead, range, tail, ended };
  /// Returns whether the range that is open, or begins next, is to be recorded.
  bool is_wanted() const { return static_cast<int>(spans_.size()) >= warm_up_ranges_ + passed_; }
  /// Stores the number of launches between two ranges, at the first launch within the second one.
  void add_distance();
  Step pass(uint64_t launches);
  Step continue_lead(uint64_t launches);
  Step begin(State state);

  std::string name_;
  int warm_up_ranges_;
  int passed_;
  State state_ = State::passing;
  int depth_ = 0;
  int64_t begin_ns_ = 0;
  uint64_t launches_ = 0;
  uint64_t in_range_ = 0;     ///< launches since the open range began
  uint64_t since_range_ = 0;  ///< launches since the last range ended
  std::deque<uint64_t>
      distances_;     ///< numbers of launches between ranges and the next ones; only those above 0
  int attempts_ = 0;  ///< number of leads that no range followed
  WindowEdges edges_;
  std::vector<IterationSpan> spans_;  ///< all ranges that have passed
};

}  // namespace kjoule::cuda
