#include "cuda/range_session.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kjoule::cuda {

Step RangeSession::next(const NextLaunch& launch) {
  if (ended_) return Step::pass;
  launches_ += launch.launches;
  if (depth_ == 0) return Step::pass;
  const bool first = in_range_ == 0;
  in_range_ += launch.launches;
  if (static_cast<int>(spans_.size()) < warm_up_ranges_ + passed_) return Step::pass;
  return first ? Step::begin : Step::record;
}

void RangeSession::begin_range(std::string_view name, int64_t time_ns) {
  if (name != name_ || depth_++ > 0) return;
  begin_ns_ = time_ns;
  in_range_ = 0;
}

bool RangeSession::end_range(std::string_view name, int64_t time_ns) {
  if (ended_ || name != name_ || depth_ == 0 || --depth_ > 0 || in_range_ == 0) return false;
  if (static_cast<int>(spans_.size()) < warm_up_ranges_ + passed_) {
    spans_.push_back({begin_ns_, time_ns});
    return false;
  }
  ended_ = true;
  return true;
}

std::string RangeSession::best_guess() const {
  return fmt::format(
      "the NVTX range {} with launches occurred {} times, but its first {} occurrences are skipped", name_,
      spans_.size(), warm_up_ranges_ + passed_);
}

std::vector<IterationSpan> RangeSession::passed_iterations() const {
  const size_t warm_up = std::min(spans_.size(), static_cast<size_t>(warm_up_ranges_));
  return {spans_.begin() + static_cast<std::ptrdiff_t>(warm_up), spans_.end()};
}

}  // namespace kjoule::cuda
