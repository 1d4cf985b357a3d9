#pragma once
#include <memory>

#include "child/inject/session.hpp"
#include "play/injection_options.hpp"

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

/// As the options ask: named by the user, or found by what repeats.
std::unique_ptr<IterationFinder> make_finder(const InjectionOptions& options);

/// How many iterations go by before one is recorded: those that the user wants skipped, and some whose times
/// are kept.
int iterations_to_pass(const InjectionOptions& options);

}  // namespace kjoule::inject
