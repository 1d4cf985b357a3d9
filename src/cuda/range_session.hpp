#pragma once
#include <string>

#include "cuda/session.hpp"

namespace kjoule::inject {

/// For programs that name their iterations: each is what is launched, by any thread, while a range of that
/// name is open. Ranges of that name within one count as part of it; those without launches do not count.
class RangeSession final : public Session {
 public:
  /// `cold`: ranges that are let pass first, while the program loads and tunes; `skip`: those that follow,
  /// whose times are kept.
  RangeSession(std::string name, int cold, int skip) : name_(std::move(name)), cold_(cold), skip_(skip) {}
  Step next(uint64_t signature, uint64_t arguments, int64_t time_ns, uint64_t launches = 1) override;
  void range_begins(std::string_view name, int64_t time_ns) override;
  bool range_ends(std::string_view name, int64_t time_ns) override;
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed() const override;
  std::string best_guess() const override;

 private:
  std::string name_;
  int cold_;
  int skip_;
  int depth_ = 0;
  int64_t begin_ns_ = 0;
  uint64_t launches_ = 0;
  uint64_t in_range_ = 0;  ///< launches since the range that is open began
  bool ended_ = false;
  std::vector<IterationSpan> let_pass_;
};

}  // namespace kjoule::inject
