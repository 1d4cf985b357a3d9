#pragma once
#include <string>

#include "cuda/session.hpp"

namespace kjoule::cuda {

/// A session for programs that mark their iterations with NVTX ranges. An iteration contains everything that
/// any thread launches while a range of the given name is open. Nested ranges of this name belong to the
/// outer one. Ranges without launches do not count.
class RangeSession final : public Session {
 public:
  /// `warm_up_ranges` is the number of ranges that pass first, while the program loads and tunes. `passed` is
  /// the number of ranges that pass next, before one is recorded; their times are kept.
  RangeSession(std::string name, int warm_up_ranges, int passed)
      : name_(std::move(name)), warm_up_ranges_(warm_up_ranges), passed_(passed) {}
  Step next(const NextLaunch& launch) override;
  void begin_range(std::string_view name, int64_t time_ns) override;
  bool end_range(std::string_view name, int64_t time_ns) override;
  bool is_timing() const override { return static_cast<int>(spans_.size()) >= warm_up_ranges_; }
  bool can_record_next() const override { return true; }
  void record_next() override { ended_ = false; }
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed_iterations() const override;
  std::string describe_iteration() const override { return "the launches within the range " + name_; }
  std::string best_guess() const override;

 private:
  std::string name_;
  int warm_up_ranges_;
  int passed_;
  int depth_ = 0;
  int64_t begin_ns_ = 0;
  uint64_t launches_ = 0;
  uint64_t in_range_ = 0;  ///< launches since the open range began
  bool ended_ = false;
  std::vector<IterationSpan> spans_;  ///< all ranges that have passed
};

}  // namespace kjoule::cuda
