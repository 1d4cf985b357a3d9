// What the sum over a GPU program's launches depends on: how the whole and the launches are timed, tried side
// by side.
//
// usage: context ROWS.jsonl NAME ROUNDS -- PROGRAM ARGS
//
// Adds a row a round and method: its seconds, and the clock of the processors meanwhile.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "measure/sweep.hpp"
#include "play/injected_program.hpp"
#include "play/remote_device.hpp"

namespace {

using namespace kjoule;

constexpr int kWidestWindow = 34;

/// The whole, so many iterations in a stretch.
Pass whole(size_t launches, int iterations) {
  return {in_one_stretch(launches, {}, iterations), {{0, 1}}};
}

/// T(2 iterations) - T(1 iteration).
Pass second_iteration(size_t launches) {
  Pass pass{in_one_stretch(launches, {}, 1), {{0, -1}}};
  pass.sequence.segments.push_back(in_one_stretch(launches, {}, 2).segments.front());
  pass.terms.push_back({0, 1});
  return pass;
}

/// Real predecessors played untimed before each stretch.
[[maybe_unused]] Pass with_lead(Pass sweep, size_t launches, size_t lead) {
  for (Segment& segment : sweep.sequence.segments)
    for (size_t back = lead; back > 0; --back)
      segment.lead.push_back(
          static_cast<LaunchIndex>((segment.timed.front() + 16 * launches - back) % launches));
  return sweep;
}

/// A sweep in which the whole, T(2) - T(1), is timed `times` times; its seconds go to launch number
/// `launches`.
[[maybe_unused]] Pass with_wholes(const Pass& sweep, size_t launches, size_t times) {
  Pass mixed;
  const size_t each = sweep.terms.size() / times;
  for (size_t s = 0; s < sweep.terms.size(); ++s) {
    if (s % each == each / 2 && s / each < times) {
      const Pass wholes = second_iteration(launches);
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

struct Method {
  std::string name;
  Pass pass;
  double divided_by = 1;
  int repeats = 1;
  std::unique_ptr<Track> track{};
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

nlohmann::json measure(Method& method, size_t launches) {
  method.track->enqueue(method.repeats);
  const Played played = method.track->wait();
  std::vector<double> seconds(launches + 1, 0.0);
  method.pass.add_times(played.seconds, seconds);
  double sum = 0;
  for (size_t i = 0; i < launches; ++i) sum += seconds[i];
  nlohmann::json row{
      {"method", method.name},
      {"seconds", sum / method.divided_by},
      {"clock_hz", mean_of(played.clock_hz)},
      {"played_s", static_cast<double>(played.end_ns - played.begin_ns) * 1e-9 / method.repeats}};
  if (seconds[launches] != 0) row["whole_s"] = seconds[launches];
  return row;
}

std::vector<Method> methods(size_t launches, int fill) {
  const auto sweep = [&](int window) { return sweep_by_differences(launches, window, {}).front(); };
  std::vector<Method> all;
  for (const int iterations : {1, fill})
    all.push_back(
        {fmt::format("whole, {} in a stretch", iterations == fill ? "20 ms" : std::to_string(iterations)),
         whole(launches, iterations), static_cast<double>(iterations)});
  all.push_back({"whole, T(2) - T(1)", second_iteration(launches), 1, 4});
  for (const int window : {5, 8}) all.push_back({fmt::format("w = {}", window), sweep(window)});
  for (const int lead : {1, 2, 4, 8})
    for (const int window : {3, 5, 6, 8, 10, 12})
      all.push_back({fmt::format("in order, w = {}, lead {}", window, lead), in_order(launches, window, lead)});
  return all;
}

void run(const std::string& file, const std::string& name, int rounds, std::vector<std::string> command) {
  std::ofstream rows(file, std::ios::app);
  auto program =
      std::make_shared<InjectedProgram>(std::move(command), find_injected_library(), InjectionOptions{});
  RemoteDevice device(program);
  const size_t launches = device.record().launches.size();
  const auto once = device.open(in_one_stretch(launches, {}, 4));
  once->enqueue(2);
  const double iteration_s = once->wait().seconds.back() / 4;
  const int fill = std::min(200, static_cast<int>(0.02 / iteration_s) + 1);
  std::vector<Method> all = methods(launches, fill);
  for (Method& method : all) method.track = device.open(method.pass.sequence);
  for (int round = 0; round < rounds; ++round)
    for (Method& method : all) {
      nlohmann::json row = measure(method, launches);
      row["program"] = name;
      row["round"] = round;
      rows << row.dump() << std::endl;
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6 || std::string(argv[4]) != "--") {
    std::cerr << "usage: context ROWS.jsonl NAME ROUNDS -- PROGRAM ARGS\n";
    return 2;
  }
  try {
    run(argv[1], argv[2], std::stoi(argv[3]), {argv + 5, argv + argc});
  } catch (const Error& error) {
    std::cerr << "context: " << error.what() << "; " << error.remedy() << "\n";
    return 1;
  }
}
