#include "cli/compare/phase_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "measure/time/plan.hpp"

namespace kjoule {

namespace {

/// If empty kernels take longer than in the first phase of a start by this factor, further phases are
/// measured in a new process.
constexpr double kSlower = 1.02;
constexpr const char* kNotReached = "the program did not run this phase again";

}  // namespace

void end_measured(Subject& subject, double patience_s, FurtherStarts& starts) {
  if (patience_s > 0)
    print_error(
        "the program runs to its end, so that its output is complete; kjoule waits for at most {:.0f} s "
        "(Ctrl-C ends the program now; measured results are kept)\n",
        patience_s);
  if (const auto code = subject.run_for(patience_s))
    starts.exit_code = code;
  else
    starts.ended.push_back(
        fmt::format("the program was still running {:.0f} s after the last measurement", patience_s));
}

PhaseMeasurement::PhaseMeasurement(PhaseChoice choice, SubjectOptions first, const RepeatedInput& input,
                                   std::filesystem::path log, double patience_s, Measure measure,
                                   Report report)
    : left_(std::move(choice.left)),
      first_(std::move(first)),
      input_(input),
      log_(std::move(log)),
      patience_s_(patience_s),
      measure_(std::move(measure)),
      report_(std::move(report)) {
  for (ChosenPhase& phase : choice.measured) waiting_.emplace(phase.pattern.number, std::move(phase));
}

MeasuredPhases PhaseMeasurement::measure() {
  while (!waiting_.empty()) {
    const size_t before = waiting_.size();
    try {
      start();
    } catch (const EndedError& error) {
      starts_.exit_code = error.exit_code;
      // A phase may be missed only because it begins within the recorded tail of another phase; then it is
      // tried again.
      if (waiting_.size() == before) give_up(kNotReached);
    } catch (const WriteError&) {
      throw;
    } catch (const Error& error) {
      // If several phases were searched for, it is not known which one failed: they are then searched for one
      // by one.
      if (searched() == 1)
        give_up(error.line());
      else
        is_one_by_one_ = true;
    }
  }
  return results();
}

MeasuredPhases PhaseMeasurement::results() const {
  MeasuredPhases results{measured_, failed_, starts_};
  results.starts.matched_share = matched_share();
  results.left.insert(results.left.end(), left_.begin(), left_.end());
  return results;
}

std::optional<double> PhaseMeasurement::matched_share() const {
  double matched_ns = 0, missed_ns = 0;
  for (const MeasuredPhase& phase : measured_) matched_ns += static_cast<double>(phase.facts.part_ns);
  for (const LeftPhase& phase : failed_)
    (phase.why == kNotReached ? missed_ns : matched_ns) += static_cast<double>(phase.facts.part_ns);
  if (matched_ns + missed_ns <= 0) return {};
  return matched_ns / (matched_ns + missed_ns);
}

void PhaseMeasurement::start() {
  const FurtherStart start({patterns()}, input_, log_);
  ++starts_.count;
  empty_kernels_s_.reset();
  Subject subject = open_recordable_subject(start.options(first_));
  measure_in(subject);
}

void PhaseMeasurement::measure_in(Subject& subject) {
  while (!waiting_.empty()) {
    Recording recording = subject.device->record();
    const auto number = recording.program.at("phase").get<uint32_t>();
    if (!is_as_fast(*subject.device)) {
      starts_.ended.push_back(fmt::format(
          "before phase {}, a chain of empty kernels took longer than before the first phase of this start",
          number));
      return;
    }
    const ChosenPhase phase = take(number);
    const std::string over = measure_phase(phase, subject, std::move(recording));
    if (!over.empty()) return starts_.ended.push_back(over);
    if (!go_on(subject, number)) return;
    if (is_one_by_one_) break;
  }
  subject.device->stop_observing();
  if (waiting_.empty()) report_(results());
  end_measured(subject, patience_s_, starts_);
}

std::string PhaseMeasurement::measure_phase(const ChosenPhase& phase, Subject& subject, Recording recording) {
  std::optional<FurtherStart> other;
  const StartAgain again = [&] {
    ++starts_.count;
    return open_recordable_subject(
        other.emplace(ExpectedWindows{{phase.pattern}}, input_, log_).options(first_));
  };
  try {
    measured_.push_back(measure_(phase, subject, std::move(recording), again));
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {
    failed_.push_back({phase.facts, error.line()});
    const auto* device = dynamic_cast<const DeviceError*>(&error);
    if (device != nullptr && device->lost) return error.line();
  }
  if (subject.device == nullptr)
    return fmt::format(
        "it was ended after phase {}, so that the GPU was free for further measurements of that phase",
        phase.pattern.number);
  return {};
}

bool PhaseMeasurement::is_as_fast(Device& device) {
  const double now_s = time_empty_kernels(device);
  if (!empty_kernels_s_) empty_kernels_s_ = now_s;
  return now_s <= kSlower * *empty_kernels_s_;
}

bool PhaseMeasurement::go_on(Subject& subject, uint32_t phase) {
  std::string why;
  try {
    why = subject.device->leave();
  } catch (const EndedError&) {
    throw;  // it continued, and ended before its answer arrived
  } catch (const Error& error) {
    why = error.line();
  }
  if (!why.empty()) starts_.ended.push_back(fmt::format("after phase {} {}", phase, why));
  return why.empty();
}

size_t PhaseMeasurement::searched() const {
  return is_one_by_one_ ? std::min<size_t>(1, waiting_.size()) : waiting_.size();
}

std::vector<PhasePattern> PhaseMeasurement::patterns() const {
  std::vector<PhasePattern> patterns;
  for (const auto& [number, phase] : waiting_)
    if (patterns.size() < searched()) patterns.push_back(phase.pattern);
  return patterns;
}

ChosenPhase PhaseMeasurement::take(uint32_t number) {
  return std::move(waiting_.extract(number).mapped());
}

void PhaseMeasurement::give_up(const std::string& why) {
  for (size_t phases = searched(); phases > 0; --phases)
    failed_.push_back({take(waiting_.begin()->first).facts, why});
}

}  // namespace kjoule
