#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/files/output_place.hpp"
#include "base/process/progress.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/page_file.hpp"
#include "cli/options/power_options.hpp"
#include "cli/options/stop_signal.hpp"
#include "page/power_log_page.hpp"
#include "power/logs/log_file.hpp"
#include "power/logs/logger.hpp"
#include "power/logs/power_log_reader.hpp"

namespace kjoule {

namespace {

constexpr double kShownEvery_s = 0.5;
constexpr double kLongestStep_s = 0.25;  // NVML keeps samples for two seconds
constexpr double kShortestInterval_s = 0.001;

double seconds_between(const Instant& from, const Instant& to) {
  return static_cast<double>(to.steady_ns - from.steady_ns) * 1e-9;
}

/// A status line on a terminal that is overwritten repeatedly. Prints nothing if stderr is not a terminal.
class StatusLine {
 public:
  void show(const Instant& now, const std::string& text) {
    if (!on_terminal_ || (shown_ && seconds_between(*shown_, now) < kShownEvery_s)) return;
    shown_ = now;
    print_status(text);
    std::fflush(stderr);
  }
  /// Erases the line before other output.
  void wipe() {
    if (shown_) print_status("");
    shown_.reset();
  }

 private:
  bool on_terminal_ = isatty(STDERR_FILENO) == 1;
  std::optional<Instant> shown_;
};

class LogPower final : public Command {
 public:
  std::string name() const override { return "log"; }
  std::string help() const override { return "logs power to a CSV file until Ctrl-C, SIGTERM or --duration"; }
  std::string example() const override {
    return "kjoule power log -o power.csv --source wattsup --duration 60";
  }
  void declare(CLI::App& app) override {
    output_file(app.add_option("-o,--output", output_, "CSV file to write; it must not exist yet"),
                kNewOutput)
        ->required();
    options_.declare(app);
    app.add_option(
           "--interval", options_.places.interval_s,
           "time between two readings of a meter in seconds; default: 0.04; always 1 for WattsUp meters")
        ->check(duration());
    app.add_option("--duration", duration_s_,
                   "duration of the log in seconds; default: until Ctrl-C or SIGTERM")
        ->check(duration());
    page_.declare(app);
  }

  std::string way_on() const override { return "log to another file with -o, because this one is kept"; }
  int run() override {
    if (page_.is_requested() && is_stream(output_))
      throw UsageError(
          "--html has no effect: the page is made from the log, and " + output_ + " cannot be read",
          "name a file with -o, or omit --html");
    options_.places.interval_s = std::max(options_.places.interval_s, kShortestInterval_s);
    const StopSignal stop;
    const ChosenMeters chosen = choose_meters(options_);
    warn_if_short(chosen);
    auto meters = chosen.open();
    LogFile file(output_);
    PowerLogger logger(std::move(meters), log_format(chosen.found), options_.places.interval_s,
                       [&file](const std::string& line) { file.write(line); });
    const Instant begin = instant_now();
    try {
      follow(logger, chosen, stop, begin);
    } catch (const Error&) {
      end_whole(logger);
      if (logger.lines() == 0) file.remove();  // it has a header only
      throw;
    }
    logger.finish();
    if (logger.lines() == 0) file.remove();
    tell_notes(logger);
    status_.wipe();
    const Instant end = instant_now();
    const double passed_s = seconds_between(begin, end);
    print_error("{}: {} lines in {}{}\n", output_, logger.lines(), duration_text(passed_s),
                averaging_text(chosen));
    if (logger.lines() == 0)
      throw Error(
          "the log has no reading, because none came before it ended",
          "choose a longer --duration; kjoule power devices shows over which time the meter averages");
    std::vector<const PowerChannel*> channels;
    for (const PowerChannel& channel : logger.channels()) channels.push_back(&channel);
    refuse_silence(channels, end, passed_s);
    if (page_.is_requested()) page_.write(power_log_page(read_power_log(output_)));
    return 0;
  }

 private:
  /// Returns how to state the averaging time of a log of GPUs, which the log does not show. That of an energy
  /// counter is the one that is assumed for such a log, 1 s.
  std::string averaging_text(const ChosenMeters& chosen) const {
    const MeterFacts& facts = chosen.found.front().facts;
    if (log_format(chosen.found) != LogLines::Format::gpu || facts.quantity != Quantity::power_w) return {};
    return fmt::format("; give it to kjoule energy with --averaging {:g}",
                       std::max(options_.places.interval_s, facts.averaging_s));
  }

  /// Completes the log after an error. Ignores a second error, so that the first one is reported.
  static void end_whole(PowerLogger& logger) {
    try {
      logger.finish();
    } catch (const Error&) {
    }
  }

  void warn_if_short(const ChosenMeters& chosen) const {
    if (!duration_s_) return;
    for (const FoundMeter& meter : chosen.found)
      if (const auto warning = too_short_message(meter.facts, *duration_s_)) print_warning("{}", *warning);
  }

  void follow(PowerLogger& logger, const ChosenMeters& chosen, const StopSignal& stop, const Instant& begin) {
    const double step_s = std::min(options_.places.interval_s, kLongestStep_s);
    // Steps are multiples of the interval from the beginning, so that they do not drift.
    for (double next_s = 0;;) {
      const Instant now = instant_now();
      const double passed_s = seconds_between(begin, now);
      logger.step(now);
      tell_notes(logger);
      if (passed_s > chosen.source->patience_s()) refuse_silent(logger, chosen);
      status_.show(now, status_text(logger, passed_s));
      if (duration_s_ && passed_s >= *duration_s_) return;
      while (next_s <= passed_s) next_s += step_s;
      const double until_s = duration_s_ ? std::min(next_s, *duration_s_) : next_s;
      if (stop.wait(until_s - seconds_between(begin, instant_now()))) return;
    }
  }

  static void refuse_silent(const PowerLogger& logger, const ChosenMeters& chosen) {
    for (size_t m = 0; m < chosen.found.size(); ++m)
      if (!logger.channels()[m].has_reading())
        throw Error(fmt::format("{}: no reading came within {} s", chosen.found[m].device,
                                chosen.source->patience_s()),
                    "check that it is a power meter and switched on, or choose another one with --source");
  }

  void tell_notes(PowerLogger& logger) {
    for (const std::string& note : logger.take_notes()) {
      status_.wipe();
      print_warning("{}", note);
    }
  }

  std::string status_text(const PowerLogger& logger, double passed_s) const {
    const auto watts = logger.newest_w();
    return fmt::format("{}: {}, {} lines{}", output_, duration_text(passed_s), logger.lines(),
                       watts ? fmt::format(", {:.1f} W", *watts) : "");
  }

  std::string output_;
  PowerOptions options_;
  std::optional<double> duration_s_;
  StatusLine status_;
  PageFile page_;
};

}  // namespace

std::unique_ptr<Command> power_log_command() {
  return std::make_unique<LogPower>();
}

}  // namespace kjoule
