#include "measure/rounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "base/optional_json.hpp"
#include "measure/estimate.hpp"
#include "measure/played.hpp"
#include "measure/stamped_whole.hpp"
#include "measure/statistics.hpp"
#include "measure/sweep.hpp"

namespace kjoule {

namespace {

/// Where edges are clean each launch meets all its predecessors whatever the window: none need be tried.
constexpr int kWindowOfCleanEdges = 1;
/// Used in turn elsewhere. Fewer predecessors are known to be too few, sixteen to nineteen to meet the end of
/// what a device takes from its queue at once (docs/method.md). In this order, so that those of a run that is
/// short of time are neither all small nor all large.
constexpr std::array<int, 8> kWindows{7, 12, 5, 9, 14, 6, 10, 8};
/// Before the precision is believed, where one window is used; of several each is used once.
constexpr size_t kFewestRounds = 12;
/// Of the interval's half-width: while scatter makes up no more, further rounds would not narrow it.
constexpr double kScatterThatMatters = 0.4;
constexpr int kAuditEvery = 3;          ///< rounds; the views that no estimate uses need no more
constexpr double kBlock_s = 0.02;       ///< a block of runs of the whole lasts at least this long,
constexpr double kBlockOfSweep = 0.15;  ///< and, where the whole is one stretch, this share of a sweep

constexpr int kMostStretchIterations = 200;
/// Among the launches of a sweep: at least kFewestAmong wholes, more where they would be further apart than
/// kApart_s (near the power limit the clock follows what is played), which together take this share of it or
/// more, and each so long that what is left of its edges' cost is small. They and the sweep are repeated for
/// at most kMostBlock_s.
constexpr int kFewestAmong = 4;
constexpr int kMostAmong = 12;
constexpr double kApart_s = 0.1;
constexpr double kShareAmong = 0.2;
constexpr double kLeastAmong_s = 0.001;
constexpr double kMostBlock_s = 0.1;
/// What a launch of a short iteration finds in a cache that nearly holds all of its data depends on whole
/// iterations before: so many are played, untimed, before each stretch, where the launches are few enough
/// that a sweep takes no longer than this for it.
constexpr size_t kLeadIterations = 3;
constexpr size_t kFewLaunches = 64;
constexpr double kMostLead_s = 0.15;
constexpr int kEmptyStretches = 50;

/// Why to stop before the time limit, if there is a reason: when each window was used equally often.
std::optional<Stopped> reason_to_stop(const std::vector<Round>& rounds, size_t windows, double precision) {
  if (rounds.size() < (windows == 1 ? kFewestRounds : windows) || rounds.size() % windows != 0) return {};
  KernelTable table;
  for (LaunchIndex i = 0; i < rounds.front().in_context_s.size(); ++i)
    table.kernels.push_back({{}, {}, {}, {i}});
  const SumEstimate sum = estimate(table, rounds);
  const double reached = sum.relative_half_width();
  if (reached <= std::min(precision, kLargestHalfWidth)) return Stopped::precise;
  // one round of each tells how windows and rounds differ together only
  if (rounds.size() == windows) return {};
  const bool scatters = sum.scatter_s > kScatterThatMatters * sum.sum_s.half_width;
  return scatters ? std::nullopt : std::optional(Stopped::windows_differ);
}

/// How often what takes `seconds` fills a block of `block_s`.
int repeats_for(double seconds, double block_s) {
  return seconds > 0 ? std::max(1, static_cast<int>(std::ceil(block_s / seconds))) : 1;
}

std::vector<int> windows_used(bool clean_edges) {
  if (clean_edges) return {kWindowOfCleanEdges};
  return {kWindows.begin(), kWindows.end()};
}

/// The plan's windows in the order in which they take turns.
std::vector<int> in_turn(const RoundPlan& plan) {
  std::vector<int> windows;
  for (const int window : kWindows)
    if (plan.sweeps.contains(window)) windows.push_back(window);
  for (const auto& [window, sweeps] : plan.sweeps)
    if (std::ranges::find(windows, window) == windows.end()) windows.push_back(window);
  return windows;
}

size_t lead_of(size_t launches, double whole_s) {
  const size_t stretches = 2 * launches;
  const bool short_enough = whole_s * static_cast<double>(stretches * kLeadIterations) <= kMostLead_s;
  return launches <= kFewLaunches && short_enough ? kLeadIterations * launches : 0;
}

Sweep make_sweep(const Device& device, size_t launches, int window, const std::set<LaunchIndex>& excluded) {
  return device.info().clean_edges ? sweep_by_turns(launches, window, excluded)
                                   : sweep_by_differences(launches, window, excluded);
}

/// Of the processors, over all plays added; nothing where the device does not tell.
class MeanClock {
 public:
  void add(const Played& played) {
    for (const double hz : played.clock_hz) sum_hz_ += hz;
    plays_ += played.clock_hz.size();
  }
  std::optional<double> hz() const {
    return plays_ > 0 ? std::optional(sum_hz_ / static_cast<double>(plays_)) : std::nullopt;
  }

 private:
  double sum_hz_ = 0;
  size_t plays_ = 0;
};

/// The tracks of a round, each opened when first needed.
class Rounds {
 public:
  Rounds(Device& device, const Clock& clock, size_t launches, const std::set<LaunchIndex>& excluded,
         const RoundPlan& plan)
      : device_(device), clock_(clock), launches_(launches), excluded_(excluded), plan_(plan) {
    if (device.info().runs_program) iteration_ = device.open(Iteration{});
    stretch_ = device.open(in_one_stretch(launches, excluded, plan.stretch_iterations));
    if (device.info().clean_edges) timeline_ = open_sweep(0);
  }

  Round measure(int number, int window) {
    if (!sweeps_.contains(window)) sweeps_.emplace(window, open_sweep(window));
    device_.begin_round(number);
    Round round;
    round.number = number;
    round.window = window;
    round.begin_ns = clock_.now_ns();
    const bool serial = device_.info().serial_iteration;
    const bool audit = number % kAuditEvery == 0;
    MeanClock whole_clock, sweep_clock;
    const auto whole = [&] {
      whole_clock.add(serial ? run_program(round.whole_s) : run_stretch(round.whole_s));
    };
    if (audit && serial) run_stretch(round.played_s);
    if (audit && !serial && iteration_) run_program(round.eager_s);
    whole();
    round.in_context_s.assign(launches_ + 1, 0.0);
    for (const Opened& opened : sweeps_.at(window)) {
      sweep_clock.add(run(opened, plan_.sweeps.at(window), round.in_context_s));
      if (plan_.among_iterations == 0) whole();
    }
    if (plan_.among_iterations > 0) round.among_s = round.in_context_s.back();
    round.in_context_s.pop_back();
    if (audit && !timeline_.empty()) {
      round.timeline_s.assign(launches_, 0.0);
      run(timeline_.front(), 1, round.timeline_s);
    }
    round.whole_clock_hz = whole_clock.hz();
    round.sweep_clock_hz = sweep_clock.hz();
    round.end_ns = clock_.now_ns();
    return round;
  }

 private:
  struct Opened {
    Pass pass;
    std::unique_ptr<Track> track;
  };

  std::vector<Opened> open_sweep(int window) {
    std::vector<Opened> opened;
    for (Pass& pass : make_sweep(device_, launches_, window, excluded_)) {
      if (plan_.among_iterations > 0)
        pass = with_wholes_among(pass, launches_, excluded_, plan_.among_iterations,
                                 static_cast<size_t>(plan_.wholes_among));
      pass = with_lead(std::move(pass), launches_, excluded_, plan_.lead);
      auto track = device_.open(pass.sequence);
      opened.push_back({std::move(pass), std::move(track)});
    }
    return opened;
  }

  static Played run(const Opened& opened, int repeats, std::vector<double>& seconds) {
    Played played = play(*opened.track, repeats);
    opened.pass.add_times(played.seconds, seconds);
    return played;
  }

  Played run_program(std::vector<double>& runs) { return append(*iteration_, plan_.iterations, 1, runs); }
  Played run_stretch(std::vector<double>& runs) {
    return append(*stretch_, plan_.stretches, plan_.stretch_iterations, runs);
  }

  /// Plays a track that holds `iterations` iterations and appends the time of one for each play.
  static Played append(Track& track, int repeats, int iterations, std::vector<double>& runs) {
    Played played = play(track, repeats);
    for (const double seconds : played.seconds) runs.push_back(seconds / iterations);
    return played;
  }

  Device& device_;
  const Clock& clock_;
  size_t launches_;
  std::set<LaunchIndex> excluded_;
  RoundPlan plan_;
  std::unique_ptr<Track> iteration_;  ///< null where the program cannot be run again
  std::unique_ptr<Track> stretch_;
  std::vector<Opened> timeline_;
  std::map<int, std::vector<Opened>> sweeps_;
};

RoundPlan plan_by_turns(Device& device, size_t launches, const std::set<LaunchIndex>& excluded,
                        const std::vector<int>& windows) {
  RoundPlan plan;
  if (device.info().runs_program) plan.iterations = repeats_for(once_s(*device.open(Iteration{})), kBlock_s);
  for (const int window : windows) {
    const Sweep sweep = sweep_by_turns(launches, window, excluded);
    plan.sweeps[window] = repeats_for(once_s(*device.open(sweep.front().sequence)), kBlock_s);
  }
  plan.stretches = repeats_for(once_s(*device.open(in_one_stretch(launches, excluded, 1))), kBlock_s);
  return plan;
}

/// What an empty stretch takes, its edges and what lies between.
double edges_s(Device& device) {
  const auto track = device.open(Sequence{std::vector<Segment>(kEmptyStretches)});
  play(*track, 1);
  return once_s(*track) / kEmptyStretches;
}

RoundPlan plan_by_differences(Device& device, size_t launches, const std::set<LaunchIndex>& excluded,
                              const std::vector<int>& windows) {
  RoundPlan plan;
  const double whole_s = time_undisturbed_whole(device, launches, excluded);
  plan.first_whole_s = whole_s;
  plan.lead = lead_of(launches, whole_s);
  // two stretches a launch, with it and without; to open a sweep only for its time takes too long
  const double edges = 2 * static_cast<double>(launches) * edges_s(device);
  const auto sweep_s = [&](int window) {
    return edges +
           whole_s * (2 * window + 1 + 2 * static_cast<double>(plan.lead) / static_cast<double>(launches));
  };
  const double longest_s = sweep_s(*std::ranges::max_element(windows));
  for (const int window : windows) plan.sweeps[window] = repeats_for(sweep_s(window), kBlock_s);
  plan.wholes_among = std::clamp(static_cast<int>(std::ceil(longest_s / kApart_s)), kFewestAmong, kMostAmong);
  const double among_s = std::max(kLeastAmong_s, kShareAmong * longest_s / plan.wholes_among);
  plan.among_iterations = std::min(repeats_for(whole_s, among_s), kMostStretchIterations);
  const double all_among_s = plan.among_iterations * plan.wholes_among * whole_s;
  for (auto& [window, repeats] : plan.sweeps)
    repeats = std::min(repeats, repeats_for(kBlock_s / repeats + all_among_s, kMostBlock_s));
  const double block_s = std::max(kBlock_s, kBlockOfSweep * longest_s);
  plan.stretch_iterations = std::min(repeats_for(whole_s, block_s), kMostStretchIterations);
  return plan;
}

double share_done(double spent_s, const RoundOptions& options) {
  return std::min(1.0, spent_s / options.time_limit_s);
}

}  // namespace

const char* words_of(Stopped stopped) {
  switch (stopped) {
    case Stopped::precise:
      return "precision";
    case Stopped::windows_differ:
      return "how the windows differ";
    case Stopped::time_limit:
      return "time limit";
  }
  return "";
}

nlohmann::json to_row(const RoundPlan& plan) {
  nlohmann::json sweeps = nlohmann::json::object();
  for (const auto& [window, count] : plan.sweeps) sweeps[std::to_string(window)] = count;
  return {{"kind", "plan"},
          {"iterations", plan.iterations},
          {"stretches", plan.stretches},
          {"stretch_iterations", plan.stretch_iterations},
          {"lead", plan.lead},
          {"wholes_among", plan.wholes_among},
          {"among_iterations", plan.among_iterations},
          {"first_whole_s", or_null(plan.first_whole_s)},
          {"sweeps", sweeps}};
}

RoundPlan plan_from_row(const nlohmann::json& row) {
  RoundPlan plan;
  plan.iterations = row.at("iterations");
  plan.stretches = row.at("stretches");
  plan.stretch_iterations = row.at("stretch_iterations");
  // rows of kjoule before these were added
  plan.lead = row.value("lead", size_t{0});
  plan.wholes_among = row.value("wholes_among", kFewestAmong);
  plan.among_iterations = row.value("among_iterations", 0);
  plan.first_whole_s = if_there<double>(row, "first_whole_s");
  for (const auto& [window, count] : row.at("sweeps").items()) plan.sweeps[std::stoi(window)] = count;
  return plan;
}

RoundPlan make_plan(Device& device, size_t launches, const std::set<LaunchIndex>& excluded, int window) {
  const std::vector<int> windows =
      window != 0 ? std::vector{window} : windows_used(device.info().clean_edges);
  return device.info().clean_edges ? plan_by_turns(device, launches, excluded, windows)
                                   : plan_by_differences(device, launches, excluded, windows);
}

Stopped measure_rounds(Device& device, const Clock& clock, size_t launches,
                       const std::set<LaunchIndex>& excluded, const RoundPlan& plan,
                       const RoundOptions& options, std::vector<Round>& rounds,
                       const std::function<void(const Round&)>& on_round, Progress& progress) {
  Rounds measure(device, clock, launches, excluded, plan);
  const std::vector<int> windows = in_turn(plan);
  int64_t spent_ns = rounds.empty() ? 0 : rounds.back().spent_ns;
  for (;;) {
    if (const auto reason = reason_to_stop(rounds, windows.size(), options.precision)) return *reason;
    if (static_cast<double>(spent_ns) * 1e-9 >= options.time_limit_s && rounds.size() >= 2)
      return Stopped::time_limit;
    Round round = measure.measure(static_cast<int>(rounds.size()), windows[rounds.size() % windows.size()]);
    spent_ns += round.end_ns - round.begin_ns;
    round.spent_ns = spent_ns;
    rounds.push_back(round);
    on_round(round);
    progress.update(share_done(static_cast<double>(spent_ns) * 1e-9, options));
  }
}

}  // namespace kjoule
