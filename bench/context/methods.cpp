#include "methods.hpp"

#include <fmt/format.h>

#include <map>

#include "base/error.hpp"

namespace kjoule {

namespace {

Pass by_differences(size_t launches, int window) {
  return sweep_by_differences(launches, window, {}).front();
}

/// T(2 iterations) - T(1 iteration).
Pass second_iteration(size_t launches) {
  Pass pass{in_one_stretch(launches, {}, 1), {{0, -1}}};
  pass.sequence.segments.push_back(in_one_stretch(launches, {}, 2).segments.front());
  pass.terms.push_back({0, 1});
  return pass;
}

/// A sweep in which `wholes` are timed `times` times.
Pass with_among(const Pass& sweep, const Pass& wholes, size_t launches, size_t times) {
  Pass mixed;
  const size_t each = sweep.terms.size() / times;
  for (size_t s = 0; s < sweep.terms.size(); ++s) {
    if (s % each == 0 && s / each < times) {
      for (size_t w = 0; w < wholes.terms.size(); ++w) {
        mixed.sequence.segments.push_back(wholes.sequence.segments[w]);
        mixed.terms.push_back(
            {static_cast<LaunchIndex>(launches), wholes.terms[w].sign / static_cast<double>(times)});
      }
    }
    mixed.sequence.segments.push_back(sweep.sequence.segments[s]);
    mixed.terms.push_back(sweep.terms[s]);
  }
  return mixed;
}

/// Passes in which every launch is played once and in order: stretches of `window` launches and one more
/// are timed in different passes, from the same starts, at least `lead` launches untimed before each.
Pass in_order(size_t launches, int window, int lead) {
  Pass pass;
  const int count = static_cast<int>(launches);
  const int period = window + 1 + lead;
  const auto at = [&](int place) { return static_cast<LaunchIndex>((place + 16 * count) % count); };
  for (int first = 0; first < period; ++first)
    for (const int timed : {window, window + 1}) {
      Segment segment;
      int place = first - window - lead;
      for (int last = first; last < count; last += period) {
        const int end = last - window + timed;
        for (; place < last - window; ++place) segment.lead.push_back(at(place));
        for (; place < end; ++place) segment.timed.push_back(at(place));
        pass.sequence.segments.push_back(std::move(segment));
        pass.terms.push_back({at(last), timed > window ? 1.0 : -1.0});
        segment = {};
      }
      for (; place < count; ++place) segment.lead.push_back(at(place));
      if (segment.lead.empty()) continue;
      pass.sequence.segments.push_back(std::move(segment));
      pass.terms.push_back({0, 0});
    }
  return pass;
}

using Methods = std::vector<Method>;

void add_gate(size_t launches, Methods& all) {
  for (const int window : {1, 2, 3, 4, 5, 6, 8})
    all.push_back({fmt::format("w = {}", window), by_differences(launches, window)});
  all.push_back({"w = 3, lead 8", with_lead(by_differences(launches, 3), launches, {}, 8)});
  all.push_back({"w = 1, lead 8", with_lead(by_differences(launches, 1), launches, {}, 8)});
  all.push_back({"w = 5, whole among them",
                 with_among(by_differences(launches, 5), second_iteration(launches), launches, 4)});
}

void add_windows(size_t launches, Methods& all) {
  for (int window = 1; window <= 34; ++window)
    all.push_back({fmt::format("w = {}", window), by_differences(launches, window)});
}

void add_order(size_t launches, Methods& all) {
  for (const int window : {5, 8})
    all.push_back({fmt::format("w = {}", window), by_differences(launches, window)});
  for (const int lead : {0, 1, 2, 4, 8})
    for (const int window : {3, 5, 6, 8, 10, 12})
      all.push_back(
          {fmt::format("in order, w = {}, lead {}", window, lead), in_order(launches, window, lead)});
}

/// How hot the device is kept: the whole, once, so often among the launches.
void add_heat(size_t launches, Methods& all) {
  for (const int window : {5, 8}) {
    all.push_back({fmt::format("w = {}", window), by_differences(launches, window)});
    for (const size_t times : {4, 12, 36})
      all.push_back({fmt::format("w = {}, whole {} times among them", window, times),
                     with_among(by_differences(launches, window), whole(launches, 1), launches, times)});
  }
}

/// How much of the iteration before is played again, untimed, before each stretch: for short programs.
void add_led(size_t launches, Methods& all) {
  for (const size_t parts : {0, 1, 3, 6, 9, 18, 27})  // ninths of an iteration
    for (const int window : {5, 8, 12})
      all.push_back({fmt::format("w = {}, lead {}", window, parts * launches / 9),
                     with_lead(by_differences(launches, window), launches, {}, parts * launches / 9)});
}

const std::map<std::string, void (*)(size_t, Methods&)>& sets() {
  static const std::map<std::string, void (*)(size_t, Methods&)> all{{"gate", add_gate},
                                                                     {"windows", add_windows},
                                                                     {"order", add_order},
                                                                     {"heat", add_heat},
                                                                     {"led", add_led}};
  return all;
}

}  // namespace

Pass whole(size_t launches, int iterations) {
  return {in_one_stretch(launches, {}, iterations), {{0, 1}}};
}

std::vector<Method> methods_of(const std::string& set, size_t launches, int fill) {
  const auto found = sets().find(set);
  if (found == sets().end())
    throw Error(set + ": no such set of methods", "use gate, heat, led, order or windows");
  Methods all;
  all.push_back({"whole, 1 in a stretch", whole(launches, 1)});
  all.push_back({"whole, 20 ms in a stretch", whole(launches, fill), static_cast<double>(fill)});
  all.push_back({"whole, T(2) - T(1)", second_iteration(launches), 1, 4});
  found->second(launches, all);
  return all;
}

}  // namespace kjoule
