#include "compare/run/stored_run.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/json_fields.hpp"

namespace kjoule {

namespace {

constexpr double kNoInterval = std::numeric_limits<double>::infinity();
constexpr double kMostNs = 1e15;  ///< 11 days; the times of thousands of parts can be added up

/// A value in us or J, and the half-width of its interval, which is missing if it is infinite.
Interval stored_interval(double value, const std::optional<double>& half_width, double unit) {
  return {unit * value, half_width ? unit * *half_width : kNoInterval};
}

/// A part of a run: a measured phase or window, or a phase that was not replayed.
struct StoredPart {
  std::string kind;
  std::optional<uint64_t> first, launches, samples;
  uint64_t iterations = 1;
  std::optional<double> busy_us, run_share_percent;

  PartFacts facts() const {
    PartFacts facts;
    facts.is_loop = kind == "loop";
    facts.first = first.value_or(0);
    facts.end = facts.first + launches.value_or(0);
    facts.iterations = iterations;
    facts.samples = samples.value_or(0);
    facts.part_ns = static_cast<int64_t>(std::clamp(1e3 * busy_us.value_or(0) + 0.5, 0.0, kMostNs));
    facts.run_share = run_share_percent.value_or(0) / 100;
    return facts;
  }
};
template <class Fields>
void describe(Fields& fields, StoredPart& part) {
  fields("kind", part.kind);
  fields("first_launch", part.first);
  fields("launches", part.launches);
  fields("samples", part.samples);
  fields("iterations", part.iterations);
  fields("busy_us", part.busy_us);
  fields("run_share_percent", part.run_share_percent);
}

struct StoredPhase {
  StoredPart part;
  uint32_t number = 0;
  std::string folder;
  double whole_us = 0, sum_us = 0;
  std::optional<double> half_width_us, whole_j, sum_j, half_width_j;

  MeasuredPhase phase() const {
    MeasuredPhase phase;
    phase.number = number;
    phase.facts = part.facts();
    phase.folder = folder;
    phase.whole_s = {1e-6 * whole_us, 0};
    phase.sum_s = stored_interval(sum_us, half_width_us, 1e-6);
    if (whole_j && sum_j) phase.energy = PhaseEnergy{{*whole_j, 0}, stored_interval(*sum_j, half_width_j, 1)};
    return phase;
  }
};
template <class Fields>
void describe(Fields& fields, StoredPhase& phase) {
  describe(fields, phase.part);
  fields("phase", phase.number);
  fields("folder", phase.folder);
  fields("whole_us", phase.whole_us);
  fields("sum_us", phase.sum_us);
  fields("half_width_us", phase.half_width_us);
  fields("whole_joules", phase.whole_j);
  fields("sum_joules", phase.sum_j);
  fields("half_width_joules", phase.half_width_j);
}

struct StoredLeft {
  StoredPart part;
  std::string reason;
};
template <class Fields>
void describe(Fields& fields, StoredLeft& left) {
  describe(fields, left.part);
  fields("reason", left.reason);
}

struct StoredKernel {
  KernelKey key;
  std::optional<uint64_t> bytes;
  double count = 0, profiled_us = 0, replayed_us = 0;
  std::optional<double> half_width_us;
  size_t windows = 0;

  KernelEstimate estimate() const {
    KernelEstimate kernel;
    kernel.observed.kernel = key;
    kernel.observed.kernel.bytes = bytes.value_or(0);
    kernel.observed.launches = count;
    kernel.observed.profiled_s = 1e-6 * profiled_us;
    kernel.replayed_s = stored_interval(replayed_us, half_width_us, 1e-6);
    kernel.windows = windows;
    return kernel;
  }
};
template <class Fields>
void describe(Fields& fields, StoredKernel& kernel) {
  fields("name", kernel.key.name);
  fields("grid", kernel.key.grid);
  fields("block", kernel.key.block);
  fields("bytes", kernel.bytes);
  fields("count", kernel.count);
  fields("profiled_us", kernel.profiled_us);
  fields("replayed_us", kernel.replayed_us);
  fields("half_width_us", kernel.half_width_us);
  fields("windows", kernel.windows);
}

struct StoredMean {
  uint64_t iterations = 0;
  double replayed_us = 0, low_us = 0, high_us = 0;
  std::optional<double> half_width_us;
};
template <class Fields>
void describe(Fields& fields, StoredMean& mean) {
  fields("iterations", mean.iterations);
  fields("replayed_us", mean.replayed_us);
  fields("half_width_us", mean.half_width_us);
  fields("low_profiled_us", mean.low_us);
  fields("high_profiled_us", mean.high_us);
}

struct StoredTest {
  size_t windows = 0, inside = 0;
  double mean_error_percent = 0, rms_error_percent = 0;
};
template <class Fields>
void describe(Fields& fields, StoredTest& test) {
  fields("windows", test.windows);
  fields("inside", test.inside);
  fields("mean_error_percent", test.mean_error_percent);
  fields("rms_error_percent", test.rms_error_percent);
}

struct StoredEstimate {
  size_t windows = 0;
  double replayed_us = 0, profiled_us = 0, scaled_percent = 0;
  std::optional<double> half_width_us;
  std::optional<StoredMean> mean;
  std::optional<StoredTest> test;
  std::vector<StoredKernel> kernels;

  RunEstimate estimate() const {
    RunEstimate run;
    run.windows = windows;
    run.total_s = stored_interval(replayed_us, half_width_us, 1e-6);
    run.profiled_s = 1e-6 * profiled_us;
    run.scaled_share = scaled_percent / 100;
    for (const StoredKernel& kernel : kernels) run.kernels.push_back(kernel.estimate());
    if (mean)
      run.mean_iteration =
          LoopMean{mean->iterations, stored_interval(mean->replayed_us, mean->half_width_us, 1e-6),
                   1e-6 * mean->low_us, 1e-6 * mean->high_us};
    if (test)
      run.left_out = LeftOutWindows{test->windows, test->mean_error_percent / 100,
                                    test->rms_error_percent / 100, test->inside};
    return run;
  }
};
template <class Fields>
void describe(Fields& fields, StoredEstimate& estimate) {
  fields("windows", estimate.windows);
  fields("replayed_us", estimate.replayed_us);
  fields("half_width_us", estimate.half_width_us);
  fields("profiled_us", estimate.profiled_us);
  fields("scaled_percent", estimate.scaled_percent);
  fields("mean_iteration", estimate.mean);
  fields("left_out", estimate.test);
  fields("kernels", estimate.kernels);
}

struct StoredReplay {
  std::string verdict, reason;
  std::optional<double> within_percent, whole_us, sum_us, half_width_us, matched_percent;
  double replayed_percent = 0;
  int starts = 0;
  std::optional<int> exit_code;
  std::vector<std::string> ended;
  std::vector<StoredPhase> phases;
  std::vector<StoredLeft> left;
  std::optional<StoredEstimate> estimate;

  Judgement judgement() const {
    Judgement judgement{Verdict::inconclusive, reason};
    for (const Verdict one : {Verdict::adds_up, Verdict::does_not_add_up})
      if (verdict == to_string(one)) judgement.verdict = one;
    if (within_percent) judgement.within = *within_percent / 100;
    return judgement;
  }
  RunComparison comparison() const {
    RunComparison run;
    for (const StoredPhase& phase : phases) run.measured.push_back(phase.phase());
    for (const StoredLeft& one : left) run.left.push_back({one.part.facts(), one.reason});
    if (starts > 0)
      run.starts = FurtherStarts{
          starts, matched_percent ? std::optional(*matched_percent / 100) : std::nullopt, exit_code, ended};
    run.replayed_share = replayed_percent / 100;
    run.whole_s = {1e-6 * whole_us.value_or(0), 0};
    run.sum_s = stored_interval(sum_us.value_or(0), half_width_us, 1e-6);
    run.judgement = judgement();
    if (estimate) run.estimate = estimate->estimate();
    return run;
  }
};
template <class Fields>
void describe(Fields& fields, StoredReplay& replay) {
  fields("verdict", replay.verdict);
  fields("verdict_reason", replay.reason);
  fields("within_percent", replay.within_percent);
  fields("whole_us", replay.whole_us);
  fields("sum_us", replay.sum_us);
  fields("half_width_us", replay.half_width_us);
  fields("replayed_share_percent", replay.replayed_percent);
  fields("further_starts", replay.starts);
  fields("matched_share_percent", replay.matched_percent);
  fields("exit_code", replay.exit_code);
  fields("ended", replay.ended);
  fields("phases", replay.phases);
  fields("not_replayed", replay.left);
  fields("estimate", replay.estimate);
}

struct StoredOperation {
  std::optional<std::vector<uint32_t>> grid;
};
template <class Fields>
void describe(Fields& fields, StoredOperation& operation) {
  fields("grid", operation.grid);
}

struct StoredTimes {
  double busy_ms = 0, span_ms = 0;
};
template <class Fields>
void describe(Fields& fields, StoredTimes& times) {
  fields("busy_ms", times.busy_ms);
  fields("span_ms", times.span_ms);
}

struct StoredReport {
  std::string title;
  StoredTimes gpu;
  std::vector<StoredOperation> kernels;
  std::optional<StoredReplay> replayed;
};
template <class Fields>
void describe(Fields& fields, StoredReport& report) {
  fields("title", report.title);
  fields("gpu", report.gpu);
  fields("kernels", report.kernels);
  fields("replayed", report.replayed);
}

}  // namespace

std::optional<StoredRun> read_stored_run(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  const nlohmann::json json = read_json(file);
  if (!json.contains("replayed")) return {};  // the report of several ranks has other fields
  const auto report = read_fields<StoredReport>(json, file.string());
  if (!report.replayed) return {};
  StoredRun run{report.title, 1e-3 * report.gpu.busy_ms, 1e-3 * report.gpu.span_ms,
                report.replayed->comparison()};
  run.replayed.has_kernels = std::ranges::any_of(
      report.kernels, [](const StoredOperation& operation) { return operation.grid.has_value(); });
  return run;
}

}  // namespace kjoule
