#include "cli/compare/window_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "run/observed_program.hpp"

namespace kjoule {

namespace {

/// Longest time for which the program runs while windows are measured, as a multiple of the search time.
/// Windows that have not come by then are given up.
constexpr double kLongestRun = 4;
constexpr double kLeastLongest_s = 20;  ///< shortest value of this longest time
constexpr int kMostRefusals = 5;        ///< successive windows that cannot be replayed
constexpr int kMostIdle = 3;            ///< successive searches in which the program launches nothing
constexpr std::chrono::milliseconds kPause{500};

std::chrono::duration<double> since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::steady_clock::now() - begin;
}

/// Returns the loop's facts if the window is an iteration of a loop; otherwise window_facts().
PartFacts facts_of(const NextWindow& next, const Recording& recording) {
  if (recording.program.contains("phase")) {
    const auto loop = next.loops.find(recording.program.at("phase").get<uint32_t>());
    if (loop != next.loops.end()) return loop->second;
  }
  return window_facts(recording);
}

}  // namespace

PartFacts window_facts(const Recording& recording) {
  PartFacts facts;
  if (const auto window = recording.program.find("window"); window != recording.program.end()) {
    facts.first = window->at("first");
    facts.end = window->at("end");
  }
  return facts;
}

WindowMeasurement::WindowMeasurement(std::filesystem::path log, std::optional<int> gpu, WindowLimits limits,
                                     Measure measure)
    : log_(std::move(log)), gpu_(gpu), limits_(limits), measure_(std::move(measure)), choice_(kPlacesSeed) {}

void WindowMeasurement::end_search() {
  const double searched_s = run_s();
  limits_.search_s = std::min(limits_.search_s, searched_s);
  begin_ += std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(searched_s - limits_.search_s));
}

void WindowMeasurement::add_loop(const Recording& recording, bool iterations_differ) {
  ++loops_;
  if (!iterations_differ) limits_.fewest = loops_;
  kernels_.add(recording);
  paused_s_ += run_s() - limits_.search_s;
  limits_.paused_s += paused_s_;  // the pause for the loop does not count against the limit
}

RunComparison WindowMeasurement::measure(Subject& subject) {
  try {
    while (subject.device != nullptr) {
      const std::optional<RunLog> log = read_log();
      if (is_over()) break;
      if (!log || must_wait())
        std::this_thread::sleep_for(kPause);
      else if (!measure_next(*log, subject))
        break;
    }
  } catch (const EndedError& error) {
    exit_code_ = error.exit_code.value_or(1);
  } catch (const DeviceError& error) {
    refused_.push_back({{}, error.line()});
  }
  read_log();
  return compare_run(std::move(measured_), std::move(refused_), {}, share_);
}

bool WindowMeasurement::came_too_late() const {
  return !has_recorded_ && (idle_searches_ > 0 || exit_code_);
}

bool WindowMeasurement::measure_next(const RunLog& log, Subject& subject) {
  const NextWindow next = choice_.next(log, kernels_);
  try {
    std::optional<Recording> recording = subject.device->record_window(next.search);
    if (!recording) {  // the window did not come in time
      const size_t before = std::exchange(operations_, log.operations.size());
      idle_searches_ = before == operations_ ? idle_searches_ + 1 : 0;
      return idle_searches_ < kMostIdle;
    }
    refusals_ = idle_searches_ = 0;
    has_recorded_ = true;
    return measure_recorded(next, subject, *std::move(recording));
  } catch (const DeviceError&) {
    throw;
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {
    refused_.push_back({{}, error.line()});
    has_recorded_ = true;
    return ++refusals_ < kMostRefusals;
  }
}

bool WindowMeasurement::measure_recorded(const NextWindow& next, Subject& subject, Recording recording) {
  const auto number = static_cast<uint32_t>(measured_.size() + refused_.size() + 1);
  const auto paused = Clock::now();
  const PartFacts facts = facts_of(next, recording);
  const WindowEdges edges = recording.edges;
  MeasuredKernels with = kernels_;
  with.add(recording);
  try {
    MeasuredWindow window = measure_(number, facts, subject, std::move(recording));
    measured_.push_back(std::move(window.phase));
    energy_s_ += window.energy_s;
    paused_s_ -= window.energy_s;
    kernels_ = std::move(with);
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {
    const auto* of_device = dynamic_cast<const DeviceError*>(&error);
    const bool is_lost = of_device != nullptr && of_device->lost;
    if (is_lost && !of_device->is_fault()) throw;
    refused_.push_back({facts, error.line()});
    if (is_lost) {
      faulted_ = {facts.first - std::min(facts.first, edges.lead), facts.end + edges.tail};
      return false;
    }
  }
  const std::string why = subject.device->leave();
  paused_s_ += since(paused).count();
  if (why.empty()) return true;
  print_error("the program cannot continue after a window, so no further window is measured: {}\n", why);
  return false;
}

std::optional<RunLog> WindowMeasurement::read_log() {
  std::optional<RunLog> log = read_log_so_far(log_, gpu_);
  if (log) share_ = kernels_.share_of(*log);
  return log;
}

double WindowMeasurement::run_s() const {
  return since(begin_).count() - paused_s_ - energy_s_;
}

bool WindowMeasurement::is_over() const {
  const double longest_s = std::max(kLeastLongest_s, kLongestRun * limits_.search_s);
  if (paused_s_ >= limits_.paused_s || run_s() > longest_s) return true;
  return run_s() >= 2 * limits_.search_s && share_ >= limits_.share && windows() >= limits_.fewest;
}

bool WindowMeasurement::must_wait() const {
  if (run_s() >= 2 * limits_.search_s) return false;
  if (paused_s_ >= limits_.paused_s / 2) return true;
  if (share_ < limits_.share) return false;
  const double measured = static_cast<double>(windows()) / static_cast<double>(limits_.fewest);
  return windows() >= limits_.fewest || run_s() < (1 + measured) * limits_.search_s;
}

}  // namespace kjoule
