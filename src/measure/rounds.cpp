#include "measure/rounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "measure/estimate.hpp"
#include "measure/sweep.hpp"

namespace kjoule {

namespace {

constexpr std::array<int, 3> kWindows{1, 2, 4};
constexpr int kPilotRounds = 3;        ///< of each window
constexpr int kFewestRounds = 8;       ///< of the window used, before the precision is believed
constexpr double kBlock_s = 0.02;      ///< a block of runs of the whole lasts at least this long
constexpr int kFewestRuns = 2;         ///< in a block

/// Which window the next round uses; depends on the complete rounds alone.
int next_window(const std::vector<Round>& rounds, int asked) {
  if (asked != 0) return asked;
  const size_t pilots = kWindows.size() * kPilotRounds;
  if (rounds.size() < pilots) return kWindows[rounds.size() % kWindows.size()];
  return choose_window({rounds.begin(), rounds.begin() + static_cast<std::ptrdiff_t>(pilots)});
}

bool precise(const std::vector<Round>& rounds, int window, double precision) {
  const auto used = std::count_if(rounds.begin(), rounds.end(), [&](const Round& r) { return r.window == window; });
  if (used < kFewestRounds || rounds.back().window != window) return false;
  KernelTable table;
  for (LaunchIndex i = 0; i < rounds.front().in_context_s.size(); ++i) table.kernels.push_back({{}, {}, {}, {i}});
  return estimate(table, rounds).relative_half_width() <= std::min(precision, kLargestHalfWidth);
}

Played play(Track& track, int repeats) {
  track.enqueue(repeats);
  return track.wait();
}

/// Repeats that fill a block, from one play.
int repeats_for(Track& track) {
  const Played once = play(track, 1);
  const double seconds = static_cast<double>(once.end_ns - once.begin_ns) * 1e-9;
  return seconds > 0 ? std::max(1, static_cast<int>(std::ceil(kBlock_s / seconds))) : 1;
}

/// The tracks of a round, each opened when first needed.
class Rounds {
 public:
  Rounds(Device& device, const Clock& clock, size_t launches, const std::set<LaunchIndex>& excluded,
         const RoundPlan& plan)
      : device_(device), clock_(clock), launches_(launches), excluded_(excluded), plan_(plan) {
    iteration_ = device.open(Iteration{});
    stretch_ = device.open(in_one_stretch(launches, excluded));
    if (device.info().clean_edges) timeline_ = open_sweep(0);
  }

  Round measure(int number, int window) {
    if (!sweeps_.contains(window)) sweeps_.emplace(window, open_sweep(window));
    device_.begin_round(number);
    Round round;
    round.number = number;
    round.window = window;
    round.begin_ns = clock_.now_ns();
    run_wholes(round);
    round.in_context_s = run(sweeps_.at(window), plan_.sweeps.at(window));
    if (timeline_) round.timeline_s = run(*timeline_, 1);
    run_wholes(round);
    round.end_ns = clock_.now_ns();
    return round;
  }

 private:
  struct Opened {
    Sweep sweep;
    std::unique_ptr<Track> track;
  };

  Opened open_sweep(int window) {
    Sweep sweep(launches_, window, device_.info().clean_edges, excluded_);
    auto track = device_.open(sweep.sequence());
    return {std::move(sweep), std::move(track)};
  }

  static std::vector<double> run(Opened& opened, int repeats) {
    return opened.sweep.per_launch(play(*opened.track, repeats).seconds);
  }

  /// A block of the program's own iteration and one of the recorded launches in one stretch; which of them is the
  /// whole, the device says.
  void run_wholes(Round& round) {
    const auto append = [](Track& track, int repeats, std::vector<double>& runs) {
      const Played played = play(track, repeats);
      runs.insert(runs.end(), played.seconds.begin(), played.seconds.end());
    };
    const bool serial = device_.info().serial_iteration;
    append(*iteration_, plan_.iterations, serial ? round.whole_s : round.eager_s);
    append(*stretch_, plan_.stretches, serial ? round.played_s : round.whole_s);
  }

  Device& device_;
  const Clock& clock_;
  size_t launches_;
  std::set<LaunchIndex> excluded_;
  RoundPlan plan_;
  std::unique_ptr<Track> iteration_;
  std::unique_ptr<Track> stretch_;
  std::optional<Opened> timeline_;
  std::map<int, Opened> sweeps_;
};

double share_done(double spent_s, const RoundOptions& options) { return std::min(1.0, spent_s / options.time_limit_s); }

}  // namespace

nlohmann::json to_row(const RoundPlan& plan) {
  nlohmann::json sweeps = nlohmann::json::object();
  for (const auto& [window, count] : plan.sweeps) sweeps[std::to_string(window)] = count;
  return {{"kind", "plan"}, {"iterations", plan.iterations}, {"stretches", plan.stretches}, {"sweeps", sweeps}};
}

RoundPlan plan_from_row(const nlohmann::json& row) {
  RoundPlan plan{row.at("iterations"), row.at("stretches"), {}};
  for (const auto& [window, count] : row.at("sweeps").items()) plan.sweeps[std::stoi(window)] = count;
  return plan;
}

RoundPlan make_plan(Device& device, size_t launches, const std::set<LaunchIndex>& excluded, int window) {
  RoundPlan plan;
  plan.iterations = std::max(kFewestRuns, repeats_for(*device.open(Iteration{})));
  plan.stretches = std::max(kFewestRuns, repeats_for(*device.open(in_one_stretch(launches, excluded))));
  const std::vector<int> windows = window != 0 ? std::vector<int>{window} : std::vector<int>(kWindows.begin(), kWindows.end());
  for (const int each : windows) {
    const Sweep sweep(launches, each, device.info().clean_edges, excluded);
    plan.sweeps[each] = repeats_for(*device.open(sweep.sequence()));
  }
  return plan;
}

Stopped measure_rounds(Device& device, const Clock& clock, size_t launches, const std::set<LaunchIndex>& excluded,
                       const RoundPlan& plan, const RoundOptions& options, std::vector<Round>& rounds,
                       const std::function<void(const Round&)>& on_round, Progress& progress) {
  Rounds measure(device, clock, launches, excluded, plan);
  int64_t spent_ns = rounds.empty() ? 0 : rounds.back().spent_ns;
  for (;;) {
    const int window = next_window(rounds, options.window);
    if (!rounds.empty() && precise(rounds, window, options.precision)) return Stopped::precise;
    const auto used = std::count_if(rounds.begin(), rounds.end(), [&](const Round& r) { return r.window == window; });
    if (static_cast<double>(spent_ns) * 1e-9 >= options.time_limit_s && used >= 2) return Stopped::time_limit;
    Round round = measure.measure(static_cast<int>(rounds.size()), window);
    spent_ns += round.end_ns - round.begin_ns;
    round.spent_ns = spent_ns;
    rounds.push_back(round);
    on_round(round);
    progress.update(share_done(static_cast<double>(spent_ns) * 1e-9, options));
  }
}

}  // namespace kjoule
