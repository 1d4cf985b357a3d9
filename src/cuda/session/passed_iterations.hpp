#pragma once
#include <cstdint>
#include <vector>

#include "cuda/session/leader_cut.hpp"
#include "cuda/session/session.hpp"

namespace kjoule::cuda {

/// The iterations of a loop, with their times, that pass unrecorded before one is recorded.
class PassedIterations {
 public:
  /// `count` iterations pass unrecorded. With a `cut`, further iterations pass until it permits the
  /// recording.
  explicit PassedIterations(int count, LeaderCut* cut = nullptr) : count_(count), cut_(cut) {}

  /// Registers that an iteration begins at this host time. Returns whether it may be recorded.
  bool begin(int64_t time_ns) {
    if (cut_ != nullptr) cut_->begin_iteration(time_ns);
    // Further iterations begin after pauses, so their times are not the program's own.
    if (size() <= count_) begins_ns_.push_back(time_ns);
    if (size() <= count_) return false;
    const int more = cut_ != nullptr ? cut_->still_to_pass() : 0;
    count_ += more;
    return more == 0;
  }
  /// Registers that the loop has ended.
  void forget_loop() {
    begins_ns_.clear();
    if (cut_ != nullptr) cut_->forget_loop();
  }
  /// Expects that the next iteration is recorded instead of the recorded one.
  void expect_next() {
    if (cut_ != nullptr) cut_->expect_next();
  }
  /// Returns whether several ranks record this iteration.
  bool is_shared() const { return cut_ != nullptr && cut_->is_shared(); }
  /// Returns how many iterations have begun, the recorded one included.
  int size() const { return static_cast<int>(begins_ns_.size()); }
  std::vector<IterationSpan> spans() const { return spans_between(begins_ns_); }

 private:
  int count_;
  LeaderCut* cut_;  ///< null if the program is measured in one process
  std::vector<int64_t> begins_ns_;
};

}  // namespace kjoule::cuda
