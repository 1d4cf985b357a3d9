#pragma once
#include <CLI/CLI.hpp>

#include <filesystem>
#include <map>

#include "base/file_lock.hpp"
#include "base/progress.hpp"
#include "cli/energy_meters.hpp"
#include "cli/subject.hpp"
#include "compare/energy.hpp"
#include "measure/alone.hpp"
#include "measure/isolated.hpp"
#include "measure/plan.hpp"
#include "measure/rounds.hpp"
#include "results/classified.hpp"
#include "results/rows.hpp"
#include "results/timing.hpp"

namespace kjoule {

/// Where results go, and what they are made of.
struct RunOptions {
  std::string output_dir = "results";
  std::string resume;  ///< folder of a killed run
  int warmup = 10;
  int runs = 100;
  const CLI::Option *warmup_option = nullptr, *runs_option = nullptr;

  const std::string& folder() const { return resume.empty() ? output_dir : resume; }
  /// The same for a run that belongs to this one, in a folder of that name in it. A run that was killed
  /// before it came so far has none to resume.
  RunOptions within(const std::string& name) const;
  /// Before anything is started that would be refused its folder afterwards. Throws Error.
  void refuse_folder() const;
  /// Moves older results aside, unless they are resumed, and locks the rows.
  FileLock claim() const;
  /// Of a folder that was claimed.
  ResultRows open_rows() const;
  /// Whether the user said how many runs to time, or to let pass before.
  bool asks_for_runs() const;
  void declare_folder(CLI::App& app);
  void declare_runs(CLI::App& app);
};

/// Puts `header`, with this kjoule's version, first among rows that are new: true. Throws Error where those
/// of a killed run began with another kind, or differ in one of `same`.
bool begin_rows(ResultRows& rows, nlohmann::json header, const std::vector<std::string>& same);

/// Copies of the same work, each with launches of its own.
struct AloneWork {
  std::string name;
  std::vector<std::vector<LaunchIndex>> copies;
};

/// What came of it, or why nothing did.
struct AloneResult {
  std::string name;
  std::optional<AloneReading> reading;
  std::string error;
};

/// One results folder being filled, phase by phase. Each phase first takes what the folder already holds,
/// measures what is missing and writes every finished row at once; so a killed run loses no finished row.
class MeasuredRun {
 public:
  /// Starts the folder, or opens that of a killed run: Error when that one measured another program.
  MeasuredRun(const std::string& command, Subject& subject, const RunOptions& options);

  /// The program's own iterations in one contiguous block: run now, or, where only the program can run them,
  /// the last of those seen before the one that was recorded.
  FullTiming full();
  /// Records one iteration (again, when resumed: it must be the same) and verifies its replay.
  void record();
  /// Both of these. A program that others started has run its iterations before one was recorded.
  void full_and_record();
  /// What the device's own timeline says of the recorded iteration; that it could not be read is a row, too.
  /// False where the device keeps none.
  bool observe();
  const Recording& recording() const { return recording_; }
  const KernelTable& table() const { return table_; }
  std::vector<IsolatedKernel> isolated();
  /// Starts the program so many times more and times its whole: one row each.
  void other_starts(int starts, const std::function<Subject()>& open);
  /// The iteration as one piece of work with the program's own streams, where launches may overlap at all.
  void overlapped();
  /// Rounds until precise or out of time.
  void rounds(const RoundOptions& options);
  /// After the rounds: energy of whole and kernels, as these meters see it, and a power log beside the rows.
  /// That there is none is a row, too.
  void energy(EnergyMeters& meters, const EnergyOptions& options);
  /// Each work by itself, one after another, with these meters if there are any. One that cannot be played is
  /// a result, too.
  std::vector<AloneResult> alone(const std::vector<AloneWork>& works, EnergyMeters& meters,
                                 const AloneOptions& options, const EnergyOptions& energy);

  /// The folder's row of that kind; where it has none, what `make` returns becomes it.
  nlohmann::json once(const std::string& kind, const std::function<nlohmann::json()>& make);

  const std::filesystem::path& folder() const { return folder_; }
  const std::vector<nlohmann::json>& rows() const { return rows_.rows(); }
  Progress& progress() { return *progress_; }

 private:
  const nlohmann::json* find(const std::string& kind) const { return find_row(rows(), kind); }
  void append(nlohmann::json row);
  void exclude(uint32_t kernel, const std::string& why);
  void verify();
  nlohmann::json load_row() const;
  void append_load();
  nlohmann::json seen_whole();
  nlohmann::json played_whole();
  nlohmann::json idle_row(MeterRecord& meter, const EnergyOptions& options) const;
  EnergyPlan energy_plan(std::span<MeterRecord> meters, double time_limit_s);
  double left_for_blocks_s() const;
  Stopped measure_blocks(const std::vector<std::unique_ptr<Meter>>& meters, const EnergyOptions& options);
  TimedIteration timed() const;
  Plan plan(const TimedIteration& iteration);
  void note_stopped(const nlohmann::json& row);
  void check_distortion();
  nlohmann::json other_start(const std::function<Subject()>& open) const;

  Subject& subject_;
  RunOptions options_;
  std::filesystem::path folder_;
  FileLock lock_;  ///< on the rows
  ResultRows rows_;
  nlohmann::json load_;  ///< the row of the load at the start, until the first measured row is written
  std::unique_ptr<Progress> progress_;
  Recording recording_;
  KernelTable table_;
};

/// What rows and recording of a folder say: pure functions, so that a killed run can be rendered too.
/// The recording is that of the folder.
FullTiming full_timing(const std::vector<nlohmann::json>& rows);
std::map<uint32_t, std::string> excluded_kernels(const std::vector<nlohmann::json>& rows);
/// The places of those.
std::set<LaunchIndex> excluded_launches(const KernelTable& table, const std::vector<nlohmann::json>& rows);
/// Kernels as these rules class them, here and below.
std::vector<KernelResult> isolated_results(const KernelTable& table, const std::vector<nlohmann::json>& rows,
                                           KernelRules& rules);
/// Nothing where the device keeps no timeline; throws the Error that kept it from being read.
std::optional<Observation> observation_in(const std::vector<nlohmann::json>& rows);
/// The same for the reports, of an iteration of so many launches.
std::optional<TimelineResult> timeline_result(const std::vector<nlohmann::json>& rows, size_t launches);
/// Error when the rows do not hold enough rounds. `replayed` are the kernels of a table, where one was given.
Comparison comparison_of(const Recording& recording, const std::vector<nlohmann::json>& rows,
                         KernelRules& rules, const std::optional<ReplayedTable>& replayed = {});
/// What the device drew with nothing to do, where that was measured.
std::optional<double> idle_w_in(const std::vector<nlohmann::json>& rows);
/// What was measured of energy, or why nothing was; nothing where it was not asked for, or not yet.
std::optional<MeasuredEnergy> energy_in(const std::vector<nlohmann::json>& rows);
/// The run's header: program, device, versions, title.
nlohmann::json run_header(const std::vector<nlohmann::json>& rows);

}  // namespace kjoule
