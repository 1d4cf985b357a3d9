#include "measure/sweep.hpp"

#include <algorithm>

namespace kjoule {

namespace {

std::vector<LaunchIndex> included(size_t launches, const std::set<LaunchIndex>& excluded) {
  std::vector<LaunchIndex> order;
  for (LaunchIndex i = 0; i < launches; ++i)
    if (!excluded.contains(i)) order.push_back(i);
  return order;
}

/// The `window` launches before order[place], wrapping into the iteration before.
std::vector<LaunchIndex> predecessors(const std::vector<LaunchIndex>& order, size_t place, int window) {
  const size_t count = std::min(static_cast<size_t>(window), order.size() - 1);
  std::vector<LaunchIndex> before;
  for (size_t back = count; back > 0; --back)
    before.push_back(order[(place + order.size() - back) % order.size()]);
  return before;
}

}  // namespace

Sweep::Sweep(size_t launches, int window, bool clean_edges, const std::set<LaunchIndex>& excluded)
    : launches_(launches) {
  const std::vector<LaunchIndex> order = included(launches, excluded);
  for (size_t place = 0; place < order.size(); ++place)
    visit(order[place], predecessors(order, place, window), clean_edges);
}

void Sweep::visit(LaunchIndex launch, const std::vector<LaunchIndex>& before, bool clean_edges) {
  if (clean_edges || before.empty()) {
    sequence_.segments.push_back({before, {launch}});
    terms_.push_back({launch, 1});
    return;
  }
  sequence_.segments.push_back({{}, before});
  terms_.push_back({launch, -1});
  std::vector<LaunchIndex> with = before;
  with.push_back(launch);
  sequence_.segments.push_back({{}, std::move(with)});
  terms_.push_back({launch, 1});
}

std::vector<double> Sweep::per_launch(const std::vector<double>& played) const {
  std::vector<double> seconds(launches_, 0.0);
  const auto repeats = static_cast<double>(played.size() / terms_.size());
  for (size_t s = 0; s < played.size(); ++s) {
    const Term& term = terms_[s % terms_.size()];
    seconds[term.launch] += term.sign * played[s] / repeats;
  }
  return seconds;
}

Sequence in_one_stretch(size_t launches, const std::set<LaunchIndex>& excluded, int iterations) {
  const std::vector<LaunchIndex> order = included(launches, excluded);
  Segment all;
  for (int i = 0; i < iterations; ++i) all.timed.insert(all.timed.end(), order.begin(), order.end());
  return {{std::move(all)}};
}

}  // namespace kjoule
