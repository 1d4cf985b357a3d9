#include "range_session.hpp"

#include <fmt/format.h>

namespace kjoule::inject {

Step RangeSession::next(uint64_t, uint64_t, int64_t, uint64_t launches) {
  if (ended_) return Step::watch;
  launches_ += launches;
  if (depth_ == 0) return Step::watch;
  const bool first = in_range_ == 0;
  in_range_ += launches;
  if (static_cast<int>(passed_.size()) < skip_) return Step::watch;
  return first ? Step::begin : Step::record;
}

void RangeSession::range_begins(std::string_view name, int64_t time_ns) {
  if (name != name_ || depth_++ > 0) return;
  begin_ns_ = time_ns;
  in_range_ = 0;
}

bool RangeSession::range_ends(std::string_view name, int64_t time_ns) {
  if (ended_ || name != name_ || depth_ == 0 || --depth_ > 0 || in_range_ == 0) return false;
  if (static_cast<int>(passed_.size()) < skip_) {
    passed_.push_back({begin_ns_, time_ns});
    return false;
  }
  ended_ = true;
  return true;
}

std::string RangeSession::best_guess() const {
  return fmt::format("range {} came {} times with launches, and the one after the first {} would be recorded",
                     name_, passed_.size(), skip_);
}

}  // namespace kjoule::inject
