#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/files/csv.hpp"
#include "base/json/optional_json.hpp"
#include "base/process/progress.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/power_options.hpp"
#include "cli/options/printed.hpp"
#include "power/idle_profile.hpp"
#include "power/instant.hpp"
#include "power/logs/logger.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

constexpr double kStep_s = 0.04;
constexpr double kBusy_percent = 1;

/// A meter, its readings, and the state of its device at the end.
struct Watched {
  PowerChannel channel;
  std::vector<PowerPoint> points{};
  std::optional<DeviceState> state{};
};

struct Profiled {
  MeterFacts facts;
  IdleProfile idle;
  DeviceState state;
  std::string how;
  std::vector<std::string> doubts;
};

std::string optional_text(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "";
}

Profiled profiled(const Watched& watched, double duration_s) {
  const MeterFacts& facts = watched.channel.facts();
  const auto idle = profile_idle(watched.points, facts, duration_s);
  if (!idle)
    throw Error(fmt::format("{}: no reading came in {} s", facts.name, duration_s),
                "choose a longer --duration; kjoule power devices shows over which time the meter averages");
  Profiled profile{.facts = facts,
                   .idle = *idle,
                   .state = watched.state.value_or(DeviceState()),
                   .how = fmt::format("{} of {}, {} points in {} s; interval from {} blocks of {:g} s",
                                      facts.quantity == Quantity::energy_j ? "energy counter" : "power",
                                      facts.source, idle->points, duration_s, idle->blocks, idle->block_s),
                   .doubts = {}};
  if (auto warning = too_short_message(facts, duration_s)) profile.doubts.push_back(*warning);
  if (idle->stands_still())
    profile.doubts.push_back(
        fmt::format("all {} power samples are {} W: the meter is frozen, or its resolution is too coarse",
                    idle->points, idle->mean_w));
  else if (!idle->low_w)
    profile.doubts.emplace_back("the duration is too short for an interval; choose a longer --duration");
  if (profile.state.busy_percent.value_or(0) >= kBusy_percent)
    profile.doubts.push_back(
        fmt::format("the device was not idle: {:.0f} % busy at the end", *profile.state.busy_percent));
  return profile;
}

nlohmann::ordered_json as_json(const Profiled& profile) {
  return {
      {"meter", profile.facts.name},
      {"source", profile.facts.source},
      {"measures", scope_name(profile.facts.scope)},
      {"mean_w", profile.idle.mean_w},
      {"spread_w", profile.idle.spread_w},
      {"interval_w", profile.idle.low_w ? nlohmann::ordered_json{*profile.idle.low_w, *profile.idle.high_w}
                                        : nlohmann::ordered_json()},
      {"min_w", profile.idle.least_w},
      {"max_w", profile.idle.most_w},
      {"points", profile.idle.points},
      {"averaging_s", profile.facts.averaging_s},
      {"sm_clock_mhz", or_null(profile.state.sm_clock_mhz)},
      {"memory_clock_mhz", or_null(profile.state.memory_clock_mhz)},
      {"temperature_c", or_null(profile.state.temperature_c)},
      {"busy_percent", or_null(profile.state.busy_percent)},
      {"how", profile.how},
      {"doubts", profile.doubts}};
}

void print_csv(const std::vector<Profiled>& profiles) {
  print_output(
      "meter,source,measures,mean_w,spread_w,low_w,high_w,min_w,max_w,points,averaging_s,sm_clock_mhz,"
      "memory_clock_mhz,temperature_c,busy_percent,how\n");
  for (const Profiled& p : profiles)
    print_output(
        "{}\n",
        csv_line({p.facts.name, p.facts.source, scope_name(p.facts.scope),
                  fmt::format("{:.4f}", p.idle.mean_w), fmt::format("{:.4f}", p.idle.spread_w),
                  optional_text(p.idle.low_w, 4), optional_text(p.idle.high_w, 4),
                  fmt::format("{:.4f}", p.idle.least_w), fmt::format("{:.4f}", p.idle.most_w),
                  fmt::format("{}", p.idle.points), fmt::format("{}", p.facts.averaging_s),
                  optional_text(p.state.sm_clock_mhz, 0), optional_text(p.state.memory_clock_mhz, 0),
                  optional_text(p.state.temperature_c, 0), optional_text(p.state.busy_percent, 0), p.how}));
  for (const Profiled& p : profiles)
    for (const std::string& doubt : p.doubts) print_warning("{}: {}", p.facts.name, doubt);
}

std::string profiles_text(const std::vector<Profiled>& profiles) {
  std::string text;
  for (const Profiled& p : profiles) {
    const std::string interval =
        p.idle.low_w ? fmt::format("95 % interval {:.2f} to {:.2f} W", *p.idle.low_w, *p.idle.high_w)
                     : "no interval";
    text += wrapped("", fmt::format("{} ({}): {:.2f} W idle, {}", p.facts.name, scope_name(p.facts.scope),
                                    p.idle.mean_w, interval));
    text += wrapped("  ", fmt::format("standard deviation {:.2f} W, from {:.2f} to {:.2f} W", p.idle.spread_w,
                                      p.idle.least_w, p.idle.most_w));
    if (p.state.sm_clock_mhz)
      text += wrapped(
          "  ",
          fmt::format("SM clock {} MHz, memory clock {} MHz, {} C", optional_text(p.state.sm_clock_mhz, 0),
                      optional_text(p.state.memory_clock_mhz, 0), optional_text(p.state.temperature_c, 0)));
    text += wrapped("  ", p.how);
    for (const std::string& doubt : p.doubts) text += wrapped("  warning: ", doubt);
  }
  return text;
}

class PowerIdle final : public Command {
 public:
  std::string name() const override { return "idle"; }
  std::string help() const override {
    return "measures idle power: mean, standard deviation and 95 % interval";
  }
  std::string example() const override { return "kjoule power idle --duration 30"; }
  void declare(CLI::App& app) override {
    options_.declare(app);
    app.add_option("--duration", duration_s_, "duration of the measurement in seconds; default: 10")
        ->check(duration());
    printed_.declare(app, "print a JSON array instead of the text", "print CSV instead of the text");
  }
  int run() override {
    std::vector<Watched> watched;
    for (auto& meter : choose_meters(options_).open())
      watched.push_back({.channel = PowerChannel(std::move(meter), 0)});
    watch(watched);
    std::vector<Profiled> profiles;
    for (Watched& one : watched) {
      for (const std::string& note : one.channel.meter().take_notes()) print_warning("{}", note);
      one.state = one.channel.meter().state();
      profiles.push_back(profiled(one, duration_s_));
    }
    print(profiles);
    std::vector<const PowerChannel*> channels;
    for (const Watched& one : watched) channels.push_back(&one.channel);
    refuse_silence(channels, instant_now(), duration_s_);
    return 0;
  }

 private:
  void watch(std::vector<Watched>& watched) const {
    const auto progress = make_progress();
    progress->stage("measuring idle power");
    const int64_t begin = instant_now().steady_ns;
    for (double passed_s = 0; passed_s < duration_s_;) {
      for (Watched& one : watched)
        for (const PowerPoint& point : one.channel.read()) one.points.push_back(point);
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(kStep_s, duration_s_ - passed_s)));
      passed_s = static_cast<double>(instant_now().steady_ns - begin) * 1e-9;
      progress->update(passed_s / duration_s_);
    }
    progress->finish();
  }

  void print(const std::vector<Profiled>& profiles) const {
    if (printed_.json) {
      nlohmann::ordered_json all = nlohmann::ordered_json::array();
      for (const Profiled& profile : profiles) all.push_back(as_json(profile));
      print_json(all);
    } else if (printed_.csv) {
      print_csv(profiles);
    } else {
      print_text(profiles_text(profiles));
    }
  }

  PowerOptions options_;
  double duration_s_ = 10;
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> power_idle_command() {
  return std::make_unique<PowerIdle>();
}

}  // namespace kjoule
