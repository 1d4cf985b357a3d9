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

void append(Pass& pass, Segment segment, LaunchIndex launch, double sign) {
  pass.sequence.segments.push_back(std::move(segment));
  pass.terms.push_back({launch, sign});
}

/// The iteration with places first, first + stride, ... timed. What follows the last of them is led too: the
/// pass leaves the device as an iteration does.
Pass every(const std::vector<LaunchIndex>& order, size_t first, size_t stride) {
  Pass pass;
  Segment segment;
  for (size_t place = 0; place < order.size(); ++place) {
    if (place % stride != first) {
      segment.lead.push_back(order[place]);
      continue;
    }
    segment.timed = {order[place]};
    append(pass, std::move(segment), order[place], 1);
    segment = {};
  }
  if (!segment.lead.empty()) append(pass, std::move(segment), order.back(), 0);
  return pass;
}

/// A timed stretch of so many iterations.
Segment in_a_row(const std::vector<LaunchIndex>& order, int iterations) {
  Segment stretch;
  for (int i = 0; i < iterations; ++i) stretch.timed.insert(stretch.timed.end(), order.begin(), order.end());
  return stretch;
}

}  // namespace

void Pass::add_times(const std::vector<double>& played, std::vector<double>& seconds) const {
  const size_t whole_repeats = played.size() / terms.size();
  const auto repeats = static_cast<double>(whole_repeats);
  for (size_t s = 0; s < played.size(); ++s) {
    const Term& term = terms[s % terms.size()];
    seconds[term.launch] += term.sign * played[s] / repeats;
  }
}

Sweep sweep_by_turns(size_t launches, int window, const std::set<LaunchIndex>& excluded) {
  const std::vector<LaunchIndex> order = included(launches, excluded);
  const size_t stride = std::min(static_cast<size_t>(window) + 1, order.size());
  Sweep sweep;
  for (size_t first = 0; first < stride; ++first) sweep.push_back(every(order, first, stride));
  return sweep;
}

Sweep sweep_by_differences(size_t launches, int window, const std::set<LaunchIndex>& excluded) {
  const std::vector<LaunchIndex> order = included(launches, excluded);
  Pass pass;
  for (size_t place = 0; place < order.size(); ++place) {
    std::vector<LaunchIndex> stretch = predecessors(order, place, window);
    if (!stretch.empty()) append(pass, {{}, stretch}, order[place], -1);
    stretch.push_back(order[place]);
    append(pass, {{}, std::move(stretch)}, order[place], 1);
  }
  return {std::move(pass)};
}

Pass with_wholes_among(const Pass& pass, size_t launches, const std::set<LaunchIndex>& excluded,
                       int iterations, size_t times) {
  const std::vector<LaunchIndex> order = included(launches, excluded);
  const auto whole_from = [&](LaunchIndex first) {
    std::vector<LaunchIndex> turned = order;
    std::rotate(turned.begin(), std::lower_bound(turned.begin(), turned.end(), first), turned.end());
    return in_a_row(turned, iterations);
  };
  const auto place = static_cast<LaunchIndex>(launches);
  Pass mixed;
  const size_t count = pass.terms.size();
  size_t next = 0;
  for (size_t s = 0; s < count; ++s) {
    const LaunchIndex launch = pass.terms[s].launch;
    const bool its_first = s == 0 || pass.terms[s - 1].launch != launch;
    if (its_first && next < times && s * times >= next * count) {
      append(mixed, {}, place, -1);  // what the edges cost
      append(mixed, whole_from(launch), place, 1);
      ++next;
    }
    append(mixed, pass.sequence.segments[s], launch, pass.terms[s].sign);
  }
  for (Pass::Term& term : mixed.terms)
    if (term.launch == place) term.sign /= static_cast<double>(next * static_cast<size_t>(iterations));
  return mixed;
}

Pass with_lead(Pass pass, size_t launches, const std::set<LaunchIndex>& excluded, size_t lead) {
  const std::vector<LaunchIndex> order = included(launches, excluded);
  for (Segment& segment : pass.sequence.segments) {
    if (segment.timed.empty()) continue;
    const auto first = std::lower_bound(order.begin(), order.end(), segment.timed.front()) - order.begin();
    for (size_t back = lead; back > 0; --back)
      segment.lead.push_back(order[(static_cast<size_t>(first) + back * (order.size() - 1)) % order.size()]);
  }
  return pass;
}

Sequence in_one_stretch(size_t launches, const std::set<LaunchIndex>& excluded, int iterations) {
  const std::vector<LaunchIndex> order = included(launches, excluded);
  return {{in_a_row(order, iterations)}};
}

}  // namespace kjoule
