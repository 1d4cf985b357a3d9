#pragma once
#include <string>
#include <vector>

#include "cuda/session/session.hpp"

namespace kjoule::cuda {

/// A session that counts launches and records none. The program runs until a search for a window begins.
class IdleSession final : public Session {
 public:
  /// `launches` is the number of launches that the program has made already.
  explicit IdleSession(uint64_t launches) : launches_(launches) {}
  Step next(const NextLaunch& launch) override {
    launches_ += launch.launches;
    return Step::pass;
  }
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed_iterations() const override { return {}; }
  std::string describe_iteration() const override { return "no launch"; }
  std::string best_guess() const override { return "no window was searched for"; }

 private:
  uint64_t launches_;
};

}  // namespace kjoule::cuda
