#include "cuda/session/range_session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/window_search.hpp"

namespace kjoule::cuda {

namespace {

constexpr uint64_t kEdge = WindowPlace::kEdge;
constexpr uint64_t kLongestLead = WindowPlace::kLongestLead * kEdge;
constexpr size_t kKnownDistances = 8;
/// Number of leads that may be recorded in vain because the range begins later than expected. After that, the
/// first launch within the range is used as its lead.
constexpr int kMostLeads = 3;

}  // namespace

Step RangeSession::next(const NextLaunch& launch) {
  if (state_ == State::ended) return Step::pass;
  launches_ += launch.launches;
  switch (state_) {
    case State::lead:
      return continue_lead(launch.launches);
    case State::range:
      in_range_ += launch.launches;
      return Step::record;
    case State::tail:
      if (is_complete()) {
        state_ = State::ended;
        return Step::end;
      }
      edges_.tail += launch.launches;
      return Step::record;
    default:
      return pass(launch.launches);
  }
}

Step RangeSession::pass(uint64_t launches) {
  const bool is_first = depth_ > 0 && in_range_ == 0;
  if (is_first) add_distance();
  (depth_ > 0 ? in_range_ : since_range_) += launches;
  if (!is_wanted()) return Step::pass;
  if (is_first && since_range_ == 0) return begin(State::range);
  if (attempts_ >= kMostLeads) {
    if (!is_first) return Step::pass;
    edges_.lead = launches;
    return begin(State::range);
  }
  if (depth_ > 0 || distances_.empty()) return Step::pass;
  const uint64_t nearest = *std::ranges::min_element(distances_);
  if (since_range_ + kEdge <= nearest || since_range_ > nearest) return Step::pass;
  edges_.lead = launches;
  return begin(State::lead);
}

Step RangeSession::begin(State state) {
  state_ = state;
  return Step::begin;
}

Step RangeSession::continue_lead(uint64_t launches) {
  if (depth_ > 0) {
    add_distance();
    in_range_ += launches;
    state_ = State::range;
    return Step::record;
  }
  since_range_ += launches;
  edges_.lead += launches;
  if (edges_.lead <= kLongestLead) return Step::record;
  ++attempts_;
  edges_ = {};
  state_ = State::passing;
  return Step::abandon;
}

void RangeSession::add_distance() {
  if (since_range_ == 0 || spans_.empty()) return;
  distances_.push_back(since_range_);
  if (distances_.size() > kKnownDistances) distances_.pop_front();
}

void RangeSession::begin_range(std::string_view name, int64_t time_ns) {
  if (name != name_ || depth_++ > 0) return;
  begin_ns_ = time_ns;
  in_range_ = 0;
}

bool RangeSession::end_range(std::string_view name, int64_t time_ns) {
  if (name != name_ || depth_ == 0 || --depth_ > 0 || in_range_ == 0) return false;
  since_range_ = 0;
  if (state_ == State::passing) {
    spans_.push_back({begin_ns_, time_ns});
    return false;
  }
  if (state_ != State::range) return false;
  state_ = edges_.is_closed() ? State::ended : State::tail;
  return state_ == State::ended;
}

bool RangeSession::is_complete() const {
  return state_ == State::tail && edges_.tail >= kEdge;
}

std::string RangeSession::best_guess() const {
  if (is_wanted())
    return fmt::format(
        "the NVTX range {} with launches occurred {} times, each after another number of launches, so that "
        "the launches directly before the range were not recorded",
        name_, spans_.size());
  return fmt::format(
      "the NVTX range {} with launches occurred {} times, but its first {} occurrences are skipped", name_,
      spans_.size(), warm_up_ranges_ + passed_);
}

std::vector<IterationSpan> RangeSession::passed_iterations() const {
  const size_t warm_up = std::min(spans_.size(), static_cast<size_t>(warm_up_ranges_));
  return {spans_.begin() + static_cast<std::ptrdiff_t>(warm_up), spans_.end()};
}

}  // namespace kjoule::cuda
