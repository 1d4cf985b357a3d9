#pragma once
#include <memory>

#include "cuda/repeating_session.hpp"
#include "device/injection_options.hpp"

namespace kjoule::cuda {

/// The iteration that the user gives by launch numbers (--iterations).
class GivenSpan final : public IterationFinder {
 public:
  explicit GivenSpan(LaunchSpan span) : span_(span) {}
  void add(const WatchedLaunch&) override {}
  void reject() override {}
  std::optional<IterationPosition> found(uint64_t launches) const override;
  bool knows_end() const override { return true; }
  std::string describe_iteration() const override;
  std::string best_guess() const override;

 private:
  LaunchSpan span_;
};

/// Returns the session that the options ask for: the iteration is a named range, a span of launch numbers,
/// what the program marks with ranges called kIterationRange, or one of a loop that lasts. The session lets
/// some iterations pass before it records one: first those that the user wants to skip, then those whose
/// times are kept.
std::unique_ptr<Session> make_session(const InjectionOptions& options);

}  // namespace kjoule::cuda
