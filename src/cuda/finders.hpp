#pragma once
#include <memory>

#include "cuda/repeating_session.hpp"
#include "device/injection_options.hpp"

namespace kjoule::inject {

/// The iteration that the user names by launch numbers.
class NamedSpan final : public IterationFinder {
 public:
  explicit NamedSpan(LaunchSpan span) : span_(span) {}
  void add(uint64_t, uint64_t, int64_t) override {}
  void reject() override {}
  std::optional<IterationAt> found() const override;
  std::string best_guess() const override;

 private:
  LaunchSpan span_;
};

/// As the options ask: the iterations are a named range, named launches, or found by what repeats. Some are
/// let pass before one is recorded: those that the user wants skipped, and some whose times are kept.
std::unique_ptr<Session> make_session(const InjectionOptions& options);

}  // namespace kjoule::inject
