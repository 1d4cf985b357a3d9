#include "run/measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/machine_load.hpp"
#include "measure/played.hpp"
#include "run/gpu_load.hpp"

namespace kjoule {

namespace {

constexpr double kIsolatedBlock_s = 0.01;
constexpr int kOverlappedPlays = 20;
/// Rounds have numbers from 0; what comes before them needs its own, so that a simulated device can be
/// reproduced.
constexpr int kFullRound = -1;
constexpr int kPlanRound = -2;
constexpr int kControlRound = -3;
constexpr int kFirstIsolatedRound = -4;

/// Where the virtual time of a killed run stood: the latest end that any row tells.
int64_t latest_end(const std::vector<nlohmann::json>& rows) {
  int64_t latest = 0;
  for (const auto& row : rows) latest = std::max(latest, row.value("end_ns", int64_t{0}));
  return latest;
}

}  // namespace

MeasuredRun::MeasuredRun(const std::string& command, Subject& subject, const RunOptions& options)
    : subject_(subject),
      options_(options),
      folder_(options.folder()),
      lock_(options.claim()),
      rows_(options.open_rows()),
      progress_(make_progress()) {
  const nlohmann::json header{{"kind", "run"},
                              {"command", command},
                              {"title", subject.title},
                              {"program", subject.program},
                              {"device", subject.device->info().description}};
  if (!begin_rows(rows_, header, {"command", "program", "device"})) subject_.continue_at(latest_end(rows()));
  load_ = load_row();
}

/// Null where nothing is known of the device's other users.
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

/// A resumed run may find the machine busier: each start of the run that measures something has its own row.
/// One that only reports an older measurement has none, as today's load says nothing about that.
void MeasuredRun::append_load() {
  const nlohmann::json row = std::exchange(load_, nlohmann::json());
  if (row.is_null()) return;
  for (const nlohmann::json& warning : row.value("warnings", nlohmann::json::array()))
    fmt::print(stderr, "warning: {}\n", warning.get_ref<const std::string&>());
  rows_.append(row);
}

/// Rows that bracket work get its local timestamps.
void MeasuredRun::append(nlohmann::json row) {
  append_load();
  if (row.contains("begin_ns")) {
    row["start_timestamp"] = subject_.clock->local_time(row["begin_ns"]);
    row["end_timestamp"] = subject_.clock->local_time(row["end_ns"]);
  }
  rows_.append(row);
}

nlohmann::json MeasuredRun::once(const std::string& kind, const std::function<nlohmann::json()>& make) {
  if (const nlohmann::json* row = find(kind)) return *row;
  nlohmann::json row = make();
  row["kind"] = kind;
  append(row);
  return row;
}

FullTiming MeasuredRun::full() {
  if (find("whole") == nullptr) {
    progress_->stage("whole");
    append(subject_.device->info().runs_program ? played_whole() : seen_whole());
    progress_->finish();
  }
  return full_timing(rows());
}

nlohmann::json MeasuredRun::played_whole() {
  subject_.device->begin_round(kFullRound);
  const auto track = subject_.device->open(Iteration{});
  if (options_.warmup > 0) play(*track, options_.warmup);
  const Played played = play(*track, options_.runs);
  return {{"kind", "whole"},
          {"warmup", options_.warmup},
          {"seconds", played.seconds},
          {"begin_ns", played.begin_ns},
          {"end_ns", played.end_ns}};
}

nlohmann::json MeasuredRun::seen_whole() {
  if (recording_.launches.empty()) recording_ = subject_.device->record();
  const nlohmann::json& seen = recording_.program.at("seen");
  const auto all = seen.at("iteration_s").get<std::vector<double>>();
  const auto first_timed = all.end() - std::min(std::ssize(all), static_cast<std::ptrdiff_t>(options_.runs));
  const double warmup_s = std::accumulate(all.begin(), first_timed, 0.0);
  return {{"kind", "whole"},
          {"warmup", first_timed - all.begin()},
          {"seconds", std::vector<double>(first_timed, all.end())},
          {"begin_ns", seen.at("begin_ns").get<int64_t>() + std::llround(warmup_s * 1e9)},
          {"end_ns", seen.at("end_ns")}};
}

void MeasuredRun::record() {
  progress_->stage("recording");
  recording_ = subject_.device->record();
  recording_.program.update(subject_.program);
  if (subject_.expected) {
    const int64_t at = first_difference(*subject_.expected, recording_);
    if (at >= 0)
      throw Error(fmt::format("the model no longer does what was recorded: launch {} differs", at),
                  "record again, or give back the model file of the recording");
  }
  table_ = kernel_table(recording_);
  const std::string print = fingerprint(recording_);
  if (const nlohmann::json* row = find("recording")) {
    if (row->at("fingerprint") != print)
      throw Error("the program's launches differ from those of the killed run",
                  "measure again without --resume");
  } else {
    write_recording(folder_ / "recording.jsonl", recording_);
    append({{"kind", "recording"},
            {"fingerprint", print},
            {"launches", recording_.launches.size()},
            {"kernels", table_.kernels.size()},
            {"held_ns", recording_.program.value("held_ns", nlohmann::json())}});
  }
  if (find("verification") == nullptr) verify();
  progress_->finish();
}

namespace {

/// The launches by kernel: its name, how many they are and the first.
nlohmann::json of_kernels(const std::vector<LaunchIndex>& launches, const KernelTable& table) {
  std::map<uint32_t, std::vector<LaunchIndex>> by_kernel;
  for (const LaunchIndex launch : launches) by_kernel[table.kernel_of.at(launch)].push_back(launch);
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [kernel, its] : by_kernel)
    list.push_back({{"name", table.kernels[kernel].name}, {"launches", its.size()}, {"first", its.front()}});
  return list;
}

}  // namespace

void MeasuredRun::verify() {
  progress_->stage("verifying replay");
  const Verification found = subject_.device->verify();
  append({{"kind", "verification"},
          {"launches", found.launches},
          {"different", found.different},
          {"different_kernels", of_kernels(found.different, table_)},
          {"failed", found.failed},
          {"non_finite", found.non_finite},
          {"varying", found.varying}});
  for (const auto& [launch, why] : found.failed) {
    const uint32_t kernel = table_.kernel_of.at(launch);
    if (!excluded_kernels(rows()).contains(kernel)) exclude(kernel, why);
  }
}

void MeasuredRun::full_and_record() {
  const bool runs_program = subject_.device->info().runs_program;
  if (runs_program) full();
  record();
  if (!runs_program) full();
}

bool MeasuredRun::observe() {
  if (find("timeline") != nullptr) return true;
  progress_->stage("reading the timeline");
  nlohmann::json row;
  const int64_t begin_ns = subject_.clock->now_ns();
  try {
    const std::optional<Observation> seen = subject_.device->observe();
    progress_->finish();
    if (!seen) return false;
    row = to_json(*seen);
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    row["error"] = error.what();
  } catch (const Error& error) {
    row["error"] = error.what();
  }
  row["kind"] = "timeline";
  row["begin_ns"] = begin_ns;
  row["end_ns"] = subject_.clock->now_ns();
  append(row);
  return true;
}

void MeasuredRun::exclude(uint32_t kernel, const std::string& why) {
  append({{"kind", "excluded"}, {"kernel", kernel}, {"name", table_.kernels[kernel].name}, {"error", why}});
}

std::vector<IsolatedKernel> MeasuredRun::isolated() {
  std::vector<IsolatedKernel> all = read_rows(rows(), "isolated", isolated_from_row);
  progress_->stage("kernels alone");
  const TimedIteration iteration = timed();
  for (auto kernel = static_cast<uint32_t>(all.size()); kernel < table_.kernels.size(); ++kernel) {
    subject_.device->begin_round(kFirstIsolatedRound - static_cast<int>(kernel));
    all.push_back(measure_isolated(*subject_.device, table_, iteration, kernel, kIsolatedBlock_s));
    append(to_row(all.back()));
    progress_->update(static_cast<double>(kernel + 1) / static_cast<double>(table_.kernels.size()));
  }
  progress_->finish();
  return all;
}

void MeasuredRun::overlapped() {
  if (find("overlapped") != nullptr || !recording_.program.value("overlaps", false)) return;
  progress_->stage("streams side by side");
  nlohmann::json row{{"kind", "overlapped"}};
  try {
    const auto track = subject_.device->open(Overlapped{});
    play(*track, 1);
    const Played played = play(*track, kOverlappedPlays);
    row.update({{"seconds", played.seconds}, {"begin_ns", played.begin_ns}, {"end_ns", played.end_ns}});
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    row["error"] = error.what();
  } catch (const Error& error) {
    row["error"] = error.what();
  }
  append(row);
  progress_->finish();
}

TimedIteration MeasuredRun::timed() const {
  return timed_iteration(recording_, excluded_launches(table_, rows()));
}

Plan MeasuredRun::plan(const TimedIteration& iteration) {
  if (const nlohmann::json* row = find("plan")) return plan_from_row(*row);
  subject_.device->begin_round(kPlanRound);
  const Plan made = make_plan(*subject_.device, iteration);
  nlohmann::json row = to_row(made);
  row["end_ns"] = subject_.clock->now_ns();
  append(row);
  return made;
}

void MeasuredRun::rounds(const RoundOptions& options) {
  progress_->stage("kernels in context");
  std::vector<Round> rounds = read_rows(rows(), "round", round_from_row);
  for (;;) {
    const TimedIteration iteration = timed();
    if (iteration.excluded.size() == iteration.launches)
      throw Error("every kernel failed when replayed", "see the rows");
    try {
      const Stopped stopped = measure_rounds(
          *subject_.device, *subject_.clock, iteration, plan(iteration), options, rounds,
          [&](const Round& round) { append(to_row(round)); }, *progress_);
      note_stopped({{"kind", "stopped"}, {"by", to_string(stopped)}, {"precision", options.precision}});
      break;
    } catch (const DeviceError& error) {
      if (error.lost || !error.launch) throw;
      exclude(table_.kernel_of.at(*error.launch), error.what());
    }
  }
  check_distortion();
  progress_->finish();
}

/// A run that is resumed with another precision, or that goes on for longer, stops anew.
void MeasuredRun::note_stopped(const nlohmann::json& row) {
  const nlohmann::json* last = find_last_row(rows(), "stopped");
  if (last == nullptr || *last != row) append(row);
}

void MeasuredRun::check_distortion() {
  const auto plan = plan_from_row(*find("plan"));
  const auto* stamped = std::get_if<StampedPlan>(&plan);
  if (stamped == nullptr) return;
  once("control", [&] {
    subject_.device->begin_round(kControlRound);
    const double after_s = time_empty_kernels(*subject_.device);
    return nlohmann::json{
        {"before_s", stamped->empty_kernels_s}, {"after_s", after_s}, {"end_ns", subject_.clock->now_ns()}};
  });
}

void MeasuredRun::other_starts(int starts, const std::function<Subject()>& open) {
  auto measured = std::count_if(rows().begin(), rows().end(),
                                [](const nlohmann::json& row) { return row.at("kind") == "start"; });
  for (; measured < starts; ++measured) {
    progress_->stage(fmt::format("start {} of the program", measured + 2));
    append(other_start(open));
    progress_->finish();
  }
}

nlohmann::json MeasuredRun::other_start(const std::function<Subject()>& open) const {
  nlohmann::json row{{"kind", "start"}};
  try {
    const Subject again = open();
    const Recording recording = again.device->record();
    if (fingerprint(recording) != fingerprint(recording_))
      row["error"] = "its iteration has other launches";
    else
      row["whole_s"] = time_whole(*again.device, timed());
  } catch (const Error& error) {
    row["error"] = error.line();
  }
  return row;
}

}  // namespace kjoule
