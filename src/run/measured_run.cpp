#include "run/measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/files/machine_load.hpp"
#include "base/json/finite_json.hpp"
#include "base/json/optional_json.hpp"
#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "measure/time/replay_track.hpp"
#include "run/gpu_load.hpp"
#include "run/own_iterations.hpp"
#include "run/program_power.hpp"

namespace kjoule {

namespace {

constexpr double kIsolatedBlock_s = 0.01;
constexpr int kOverlappedReplays = 20;
/// Share of the loop's time, from its end, whose power is read. Work before the loop may still run in the
/// first fifth of the loop's time.
constexpr double kSurelyLoop = 0.75;
/// Factor on the number of iterations for a power meter, because they may be faster than the first ones.
constexpr double kMoreThanLeast = 1.05;
constexpr int kMostTriesOfWhole = 4;
constexpr double kMostIterationsOfWhole = 1e6;

}  // namespace

MeasuredRun::MeasuredRun(const std::string& command, Subject& subject, const RunOptions& options,
                         FileLock claimed)
    : subject_(subject),
      options_(options),
      folder_(options.folder()),
      lock_(std::move(claimed)),
      rows_(options.open_rows()),
      runs_program_(subject.device->info().runs_program),
      progress_(make_progress()) {
  nlohmann::json header{{"kind", "run"},
                        {"command", command},
                        {"title", subject.title},
                        {"program", subject.program},
                        {"device", subject.device->info().description}};
  if (options.items) header["items"] = *options.items;
  const std::optional<int> rank = subject.device->info().rank.rank;
  if (subject.has_ranks() && rank) header["rank"] = *rank;
  is_new_ = begin_rows(rows_, header, {"command", "program", "device", "items"});
  if (!is_new_) subject_.continue_at(rows().latest_end_ns());  // the virtual time of the killed run's end
  load_ = load_row();
}

/// Returns a row with the work of other programs on the device; null if it is not known.
nlohmann::json MeasuredRun::load_row() const {
  const std::string gpu = subject_.device->info().description.value("uuid", "");
  nlohmann::json row;
  if (!gpu.empty())
    row = gpu_load_json(gpu);
  else if (subject_.threads > 0)
    row = load_json(machine_load(subject_.threads), subject_.threads);
  if (!row.is_null()) row["kind"] = "load";
  return row;
}

/// Writes the machine's load before the first row that this start of kjoule measured. A resumed run may find
/// the machine busier, so each start that measures has its own row. A start that only reports older
/// measurements has no such row, because today's load does not affect them.
void MeasuredRun::append_load() {
  const nlohmann::json row = std::exchange(load_, nlohmann::json());
  if (row.is_null()) return;
  for (const nlohmann::json& warning : row.value("warnings", nlohmann::json::array()))
    print_warning("{}", warning.get_ref<const std::string&>());
  rows_.append(row);
}

/// Writes a row. A row with begin_ns and end_ns also gets both as local timestamps.
void MeasuredRun::append_json(nlohmann::json row) {
  append_load();
  if (row.contains("begin_ns")) {
    row["start_timestamp"] = subject_.clock->local_time(row["begin_ns"]);
    row["end_timestamp"] = subject_.clock->local_time(row["end_ns"]);
  }
  if (!again_.empty()) {
    if (with_finite_numbers(row) != again_.front())
      throw Error("the simulated device gives other readings than in the interrupted run",
                  "repeat the command without --resume");
    again_.pop_front();
    return;
  }
  rows_.append(row);
}

/// Begins a stage in which the program runs. If the program is a separate process, the stage is shown as a
/// line instead of a progress bar, because the program's output would be mixed with the bar.
void MeasuredRun::begin_program_stage(const std::string& title) {
  if (runs_program_)
    progress_->stage(title);
  else
    print_error("{}\n", title);
}

ProgramIterations MeasuredRun::program_iterations() {
  if (!rows().has<ProgramIterations>()) {
    append(runs_program_ ? run_iterations() : watched_iterations());
    progress_->finish();
  }
  return program_iterations_in(rows());
}

/// Repeats the program's iteration, which takes about `each_s` seconds, until the readings of a power meter
/// are those of the iteration.
void MeasuredRun::settle_meter(Track& track, double each_s) const {
  if (options_.settle_s <= 0 || each_s <= 0) return;
  const double repeats = std::ceil(options_.settle_s / each_s);
  replay(track, static_cast<int>(std::min(repeats, kMostIterationsOfWhole)));
}

ProgramIterations MeasuredRun::run_iterations() {
  progress_->stage("timing the program's own iterations");
  subject_.device->begin_round(kProgramRound);
  const auto track = subject_.device->open(Iteration{});
  OwnIterations own(*track, options_, *progress_);
  const int warmup = own.warm_up();
  int runs = options_.runs;
  if (options_.settle_s > 0) settle_meter(*track, once_s(*track));
  TrackTiming replayed = own.time(runs);
  for (int longer = 0; longer < kMostTriesOfWhole; ++longer) {
    const double passed_s = static_cast<double>(replayed.end_ns - replayed.begin_ns) * 1e-9;
    if (passed_s <= 0 || passed_s >= options_.least_s) break;
    const double wanted = std::ceil(kMoreThanLeast * runs * options_.least_s / passed_s);
    runs = static_cast<int>(std::min(wanted, kMostIterationsOfWhole));
    settle_meter(*track, passed_s / static_cast<double>(replayed.seconds.size()));
    replayed = own.time(runs);
  }
  if (runs > options_.runs) {
    progress_->finish();
    print_error("{} iterations were timed instead of {}, because the power meter needs {:.1f} s\n", runs,
                options_.runs, options_.least_s);
  }
  ProgramIterations iterations{replayed.seconds, warmup, "", "", replayed.begin_ns, replayed.end_ns};
  if (warmup < options_.warmup || std::ssize(iterations.run_s) < options_.runs)
    iterations.limit_s = options_.most_s;
  return iterations;
}

ProgramIterations MeasuredRun::watched_iterations() {
  if (recording_.launches.empty()) {
    begin_program_stage("waiting for an iteration of the program");
    recording_ = subject_.device->record();
  }
  const nlohmann::json& seen = recording_.program.at("seen");
  const auto all = seen.at("iteration_s").get<std::vector<double>>();
  const auto first_timed = all.end() - std::min(std::ssize(all), static_cast<std::ptrdiff_t>(options_.runs));
  const double warmup_s = std::accumulate(all.begin(), first_timed, 0.0);
  return {std::vector<double>(first_timed, all.end()),
          static_cast<int>(first_timed - all.begin()),
          "",
          "",
          seen.at("begin_ns").get<int64_t>() + std::llround(warmup_s * 1e9),
          seen.at("end_ns").get<int64_t>()};
}

void MeasuredRun::record() {
  begin_program_stage("recording one iteration");
  record(subject_.device->record());
}

void MeasuredRun::refuse_unexpected_launches() {
  if (!subject_.expected) return;
  const int64_t at = first_difference(*subject_.expected, recording_);
  if (at < 0) return;
  if (is_new_) {
    std::error_code ignored;
    std::filesystem::remove(rows_.path(), ignored);
    std::filesystem::remove(folder_, ignored);  // only if it is empty
  }
  throw Error(
      fmt::format("{}: its launches differ from those in the recording, first in launch {}", subject_.title,
                  at),
      "record it again with kjoule record, or give the program or model from which the recording was made");
}

void MeasuredRun::record(Recording recording) {
  recording_ = std::move(recording);
  recording_.program.update(subject_.program);
  refuse_unexpected_launches();
  table_ = kernel_table(recording_);
  const std::string print = fingerprint(recording_);
  if (const auto earlier = rows().first<RecordedIteration>()) {
    if (earlier->fingerprint != print || earlier->launches != recording_.launches.size() ||
        earlier->kernels != table_.kernels.size())
      throw Error("the program's launches differ from those of the interrupted run",
                  "repeat the command without --resume");
  } else {
    write_recording(folder_ / "recording.jsonl", recording_);
    append(RecordedIteration{print, recording_.launches.size(), table_.kernels.size(),
                             get_optional<int64_t>(recording_.program, "paused_ns")});
  }
  verify();
  progress_->finish();
}

namespace {

/// Returns the kernels of these launches, each with its name, its number of launches and its first launch.
std::vector<KernelShare> of_kernels(const std::vector<LaunchIndex>& launches, const KernelTable& table) {
  std::map<uint32_t, std::vector<LaunchIndex>> by_kernel;
  for (const LaunchIndex launch : launches)
    if (const auto kernel = table.kernel_at(launch)) by_kernel[*kernel].push_back(launch);
  std::vector<KernelShare> list;
  for (const auto& [kernel, its] : by_kernel)
    list.push_back({table.kernels[kernel].name, its.size(), its.front()});
  return list;
}

/// Returns the part of `found` that is about measured launches.
Verification of_measured(Verification found, const Recording& recording) {
  const auto end = static_cast<LaunchIndex>(recording.edges.lead + recording.measured().size());
  const auto is_edge = [&](LaunchIndex launch) { return launch < recording.edges.lead || launch >= end; };
  for (auto* launches : {&found.different, &found.non_finite, &found.varying})
    std::erase_if(*launches, is_edge);
  std::erase_if(found.failed, [&](const auto& one) { return is_edge(one.first); });
  if (!recording.edges.is_closed()) found.launches = static_cast<int>(recording.measured().size());
  return found;
}

}  // namespace

void MeasuredRun::verify() {
  const auto verified = once<VerifiedReplay>([&] {
    progress_->stage("checking that the replay gives the recorded bits");
    const Verification found = of_measured(subject_.device->verify(), recording_);
    return VerifiedReplay{found, of_kernels(found.different, table_)};
  });
  for (const auto& [launch, why] : verified.found.failed) {
    const auto kernel = table_.kernel_at(launch);
    if (kernel && !excluded_kernels(rows()).contains(*kernel)) exclude(*kernel, why);
  }
}

void MeasuredRun::collectives() {
  constexpr int kReplays = 20;
  once<ReplayedCollectives>([&] {
    progress_->stage("timing the collectives of all ranks");
    ReplayedCollectives row;
    row.begin_ns = subject_.clock->now_ns();
    try {
      for (std::vector<CollectiveTimes>& replays : subject_.ranks->time_collectives_of_all(kReplays))
        row.ranks.push_back({std::move(replays)});
    } catch (const Error& error) {  // the ranks' other results are kept
      row.error = error.line();
    }
    row.end_ns = subject_.clock->now_ns();
    progress_->finish();
    return row;
  });
}

void MeasuredRun::time_and_record() {
  if (runs_program_) program_iterations();
  record();
  if (!runs_program_) program_iterations();
}

void MeasuredRun::own_power(ProgramPower& power, double loop_s) {
  power.stop();
  const auto seen = recording_.program.find("seen");
  if (rows().has<OwnPower>() || seen == recording_.program.end()) return;
  loop_s = recording_.program.contains("loop") ? kSurelyLoop * loop_s : 0;
  const auto end_ns = seen->at("end_ns").get<int64_t>();
  const auto begin_ns = seen->at("begin_ns").get<int64_t>() - static_cast<int64_t>(loop_s * 1e9);
  const std::string gpu = subject_.device->info().description.value("uuid", "");
  if (const auto mean = power.mean_power(gpu, begin_ns, end_ns)) append(OwnPower{*mean});
}

bool MeasuredRun::observe() {
  if (rows().has<ReadTimeline>()) return true;
  progress_->stage("reading the device's timeline");
  ReadTimeline row;
  row.begin_ns = subject_.clock->now_ns();
  try {
    row.observation = subject_.device->observe();
    progress_->finish();
    if (!row.observation) return false;
  } catch (const StuckError& error) {
    is_lost_ = true;
    row.error = error.what();
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    row.error = error.what();
  } catch (const Error& error) {
    row.error = error.what();
  }
  row.end_ns = subject_.clock->now_ns();
  append(row);
  return true;
}

void MeasuredRun::exclude(uint32_t kernel, const std::string& why) {
  append(ExcludedKernel{kernel, table_.kernels[kernel].name, why});
}

namespace {

/// Returns the row of a kernel without a time in isolation; `why` is the reason.
IsolatedKernel untimed(uint32_t kernel, const std::string& why) {
  IsolatedKernel one;
  one.kernel = kernel;
  one.error = why;
  return one;
}

}  // namespace

/// Returns the times of one kernel in isolation, or the reason why it has none. A kernel that waits for a
/// value which another launch writes never ends; a kernel that increments an index which another launch
/// resets may fault. In both cases the device is lost.
IsolatedKernel MeasuredRun::isolated(uint32_t kernel, const TimedIteration& iteration) {
  try {
    subject_.device->begin_round(isolated_round(kernel));
    return measure_isolated(*subject_.device, table_, iteration, kernel, kIsolatedBlock_s);
  } catch (const StuckError& error) {
    return without_time(kernel, "does not end", error);
  } catch (const DeviceError& error) {
    if (!error.lost) throw;
    return without_time(kernel, "fails", error);
  }
}

IsolatedKernel MeasuredRun::without_time(uint32_t kernel, const char* what, const Error& error) {
  is_lost_ = true;
  return untimed(kernel, fmt::format("{} when it is repeated in isolation ({})", what, error.what()));
}

std::vector<IsolatedKernel> MeasuredRun::isolated(double most_s) {
  std::vector<IsolatedKernel> all = rows().all<IsolatedKernel>();
  if (is_lost_) return all;
  progress_->stage("measuring the kernels in isolation");
  const TimedIteration iteration = timed();
  const int64_t begin_ns = subject_.clock->now_ns();
  for (auto kernel = static_cast<uint32_t>(all.size()); kernel < table_.kernels.size(); ++kernel) {
    const double passed_s = static_cast<double>(subject_.clock->now_ns() - begin_ns) * 1e-9;
    const IsolatedKernel one =
        passed_s < most_s
            ? isolated(kernel, iteration)
            : untimed(
                  kernel,
                  fmt::format("the {:g} s for kernels in isolation were used up by earlier kernels", most_s));
    append(one);
    if (!one.error.empty()) subject_.continue_at(rows().latest_end_ns());  // its row has no times
    all.push_back(one);
    if (is_lost_) break;
    progress_->update(static_cast<double>(kernel + 1) / static_cast<double>(table_.kernels.size()));
  }
  progress_->finish();
  return all;
}

void MeasuredRun::overlapped() {
  if (rows().has<OverlappedReplays>() || !recording_.program.value("overlaps", false)) return;
  progress_->stage("replaying the iteration with its streams in parallel");
  OverlappedReplays row;
  try {
    const auto track = subject_.device->open(OverlappedIteration{});
    replay(*track, 1);
    const TrackTiming replayed = replay(*track, kOverlappedReplays);
    row = {replayed.seconds, "", replayed.begin_ns, replayed.end_ns};
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    row.error = error.what();
  } catch (const Error& error) {
    row.error = error.what();
  }
  append(row);
  progress_->finish();
}

TimedIteration MeasuredRun::timed() const {
  return measured_iteration(recording_, table_, rows());
}

Plan MeasuredRun::plan() {
  if (const auto planned = rows().first<PlannedRounds>()) return planned->plan;
  subject_.device->begin_round(kPlanRound);
  const Plan made = make_plan(*subject_.device, timed());
  append(PlannedRounds{made, subject_.clock->now_ns()});
  return made;
}

void MeasuredRun::rounds(const RoundOptions& options) {
  if (options_.requested) append_change(*options_.requested);
  progress_->stage("measuring the kernels in context");
  std::vector<Round> rounds = rows().all<Round>();
  for (;;) {
    if (const TimedIteration iteration = timed(); iteration.excluded.size() == iteration.launches)
      throw Error("none of the kernels could be replayed",
                  "results.jsonl in the results folder contains the reason for each kernel");
    try {
      const Plan planned = plan();
      const Stopped stopped = measure_rounds(
          *subject_.device, *subject_.clock, timed(), planned, options, rounds,
          [&](const Round& round) { append(round); }, *progress_);
      append_change(StoppedRounds{to_string(stopped), options.precision});
      break;
    } catch (const DeviceError& error) {
      const auto kernel = error.launch ? table_.kernel_at(*error.launch) : std::nullopt;
      if (error.lost || !kernel) throw;
      exclude(*kernel, error.what());
    }
  }
  check_distortion();
  progress_->finish();
}

void MeasuredRun::check_distortion() {
  const Plan plan = rows().first<PlannedRounds>().value().plan;
  const auto* stamped = std::get_if<StampedPlan>(&plan);
  if (stamped == nullptr) return;
  once<ControlTimes>([&] {
    subject_.device->begin_round(kControlRound);
    const double after_s = time_empty_kernels(*subject_.device);
    return ControlTimes{stamped->empty_kernels_s, after_s, subject_.clock->now_ns()};
  });
}

void MeasuredRun::other_starts(int starts, const std::function<Subject()>& open) {
  for (auto measured = static_cast<int>(rows().count<OtherStart>()); measured < starts; ++measured) {
    begin_program_stage(fmt::format("measuring start {} of the program", measured + 2));
    append(other_start(open));
    progress_->finish();
  }
}

OtherStart MeasuredRun::other_start(const std::function<Subject()>& open) const {
  OtherStart row;
  try {
    const Subject again = open();
    const Recording recording = again.device->record();
    if (fingerprint(recording) != fingerprint(recording_))
      row.error = "its iteration has other launches than the recorded one";
    else
      row.whole_s = time_whole(*again.device, timed());
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {
    row.error = error.line();
  }
  return row;
}

}  // namespace kjoule
