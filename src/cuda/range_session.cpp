#include "cuda/range_session.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kjoule::inject {

Step RangeSession::next(uint64_t, uint64_t, int64_t, uint64_t launches) {
  if (ended_) return Step::watch;
  launches_ += launches;
  if (depth_ == 0) return Step::watch;
  const bool first = in_range_ == 0;
  in_range_ += launches;
  if (static_cast<int>(let_pass_.size()) < cold_ + skip_) return Step::watch;
  return first ? Step::begin : Step::record;
}

void RangeSession::range_begins(std::string_view name, int64_t time_ns) {
  if (name != name_ || depth_++ > 0) return;
  begin_ns_ = time_ns;
  in_range_ = 0;
}

bool RangeSession::range_ends(std::string_view name, int64_t time_ns) {
  if (ended_ || name != name_ || depth_ == 0 || --depth_ > 0 || in_range_ == 0) return false;
  if (static_cast<int>(let_pass_.size()) < cold_ + skip_) {
    let_pass_.push_back({begin_ns_, time_ns});
    return false;
  }
  ended_ = true;
  return true;
}

std::string RangeSession::best_guess() const {
  return fmt::format("range {} came {} times with launches, and the one after the first {} would be recorded",
                     name_, let_pass_.size(), cold_ + skip_);
}

std::vector<IterationSpan> RangeSession::passed() const {
  const size_t cold = std::min(let_pass_.size(), static_cast<size_t>(cold_));
  return {let_pass_.begin() + static_cast<std::ptrdiff_t>(cold), let_pass_.end()};
}

}  // namespace kjoule::inject
