#pragma once
#include <deque>
#include <filesystem>
#include <limits>
#include <map>

#include "base/files/file_lock.hpp"
#include "base/process/progress.hpp"
#include "measure/isolated/isolated_kernel.hpp"
#include "measure/isolated/isolated_work.hpp"
#include "measure/time/plan.hpp"
#include "measure/time/rounds.hpp"
#include "run/energy_meters.hpp"
#include "run/phase_rounds.hpp"
#include "run/results_folder.hpp"
#include "run/rows.hpp"
#include "run/run_rows.hpp"
#include "run/subject.hpp"

namespace kjoule {

class ProgramPower;

/// New rows of energy of one rank, which is measured together with other ranks.
struct EnergyRows {
  std::optional<EnergyPlan> plan{};
  std::optional<IdlePower> idle{};
  std::optional<EnergyBlock> block{};
  std::optional<EnergyWholes> wholes{};
  std::optional<StoppedEnergy> stopped{};
};

/// Work that is measured in isolation, as several copies. Each copy has its own launches.
struct IsolatedWork {
  std::string name;
  std::vector<std::vector<LaunchIndex>> copies;
};

/// One run, which fills its results folder step by step. Each step uses the rows that the folder already
/// contains, and measures only missing rows. Each row is written as soon as it is complete, so that a killed
/// run keeps every completed row.
class MeasuredRun {
 public:
  /// Creates the results folder, or opens the folder of an interrupted run. Throws Error if the interrupted
  /// run measured another program.
  MeasuredRun(const std::string& command, Subject& subject, const RunOptions& options)
      : MeasuredRun(command, subject, options, options.claim()) {}
  /// Like the other constructor, for a folder that was claimed before (RunOptions::claim()).
  MeasuredRun(const std::string& command, Subject& subject, const RunOptions& options, FileLock claimed);

  /// Returns the times of the program's own iterations in one contiguous block. If the device can run the
  /// program (DeviceInfo::runs_program), kjoule runs these iterations. Otherwise they are the last iterations
  /// that the program ran before the recorded iteration.
  ProgramIterations program_iterations();
  /// Records one iteration and verifies its replay. A resumed run records the iteration again, and throws
  /// Error if the launches differ from the launches that the interrupted run recorded.
  void record();
  /// Like record(), for an iteration that the device has already recorded.
  void record(Recording recording);
  /// Calls program_iterations() and record(). For a program in a separate process, record() comes first,
  /// because the times of its own iterations come with the recording.
  void time_and_record();
  /// Ends the readings of `power`, and writes a row with the mean power of the program's GPU while its
  /// iterations were timed. If kjoule found the iteration as a loop, the last three quarters of the `loop_s`
  /// seconds before these iterations are included. Writes no row if the time is too short for a mean.
  void own_power(ProgramPower& power, double loop_s);
  /// Reads the device's own timeline of the recorded iteration, and writes a row with the timeline, or with
  /// the reason why it cannot be read. Returns false if the device keeps no timeline.
  bool observe();
  const Recording& recording() const { return recording_; }
  const KernelTable& table() const { return table_; }
  /// Returns the times of the kernels in isolation. Call this function last: if a kernel never ends in
  /// isolation, the device is lost; the row of this kernel then contains the reason, and the kernels after it
  /// have no rows. No kernel is begun after `most_s` seconds, because a kernel may take seconds if its memory
  /// is restored from the host.
  std::vector<IsolatedKernel> isolated(double most_s = std::numeric_limits<double>::infinity());
  /// Starts the program `starts` more times, and writes a row with the whole of each start.
  void other_starts(int starts, const std::function<Subject()>& open);
  /// Times the iteration with the program's own streams in parallel, if its launches can overlap.
  void overlapped();
  /// Replays the iteration of all ranks together, and writes a row with the times of their collectives. The
  /// program must have ranks.
  void collectives();
  /// Measures rounds until the sum is precise enough or the time limit is reached.
  void rounds(const RoundOptions& options);
  /// Measures the energy of whole and kernels with these meters, and writes a power log into the folder. Call
  /// this function after rounds(). If there is no meter, or a meter fails, writes a row with the reason; a
  /// resumed run then measures the missing energy. Throws WriteError, and writes no row, if a file cannot be
  /// written.
  void energy(EnergyMeters& meters, const EnergyOptions& options);
  /// Writes rows of energy that was measured together with that of other ranks (measure_rank_energy()).
  void keep_energy(const EnergyRows& energy);
  /// Returns the path of a new power log in the folder.
  std::filesystem::path new_power_log() const;
  /// Returns whether the device can replay the iteration without some of its kernels, which energy() needs.
  bool can_leave_out_kernels() const { return !subject_.device->info().can_time_between_launches; }
  /// Returns whether the iteration is replayed in a row, on its own results (TimedIteration::repeats()).
  bool repeats_iteration() const { return timed().repeats(); }
  /// Logs the meters to a new file in the folder from now on. If a meter fails during this or a later step,
  /// the step throws Error only if the user named the meter; otherwise the run continues without meters.
  void log_power(EnergyMeters& meters);
  /// Repeats for a power meter, for `meters.block_s` seconds each: the whole, each of the `alone` largest
  /// kernels, and on a CPU the remaining kernels of each tier together. Reads the meters, if there are any.
  /// Call this function after isolated(), whose times show which kernels are largest.
  void meter_blocks(EnergyMeters& meters, int alone);
  /// On a GPU, where meter_blocks() repeats only single kernels, measures the remaining kernels of each tier
  /// together: iterations with and without these kernels are repeated for `meters.block_s` seconds each. Call
  /// this function after meter_blocks().
  void meter_differences(EnergyMeters& meters, int alone);
  /// Runs a load pattern, by which the clock offset of a power log is found: periods with iterations and
  /// periods without work. Each period is several sensor intervals of the meters long; without meters, a
  /// sensor interval of 1 s is assumed.
  void play_load(const EnergyMeters& meters);
  /// Reads the meters until their log covers everything up to now, and closes them.
  void end_power(EnergyMeters& meters);
  /// Measures the time of each work in isolation, one work after another, and its energy if there are meters.
  /// Returns a row for each work. If a work cannot be replayed, its row contains the error.
  std::vector<IsolatedWorkRow> measure_works(const std::vector<IsolatedWork>& works, EnergyMeters& meters,
                                             const IsolatedWorkOptions& options, const EnergyOptions& energy);

  /// Returns the folder's row of kind R. If there is none, calls `make` and stores its result as that row.
  template <Row R>
  R once(const std::function<R()>& make) {
    if (auto row = rows().first<R>(); row && again_.empty()) return *std::move(row);
    R row = make();
    append(row);
    return row;
  }

  const std::filesystem::path& folder() const { return folder_; }
  const RowList& rows() const { return rows_.rows(); }
  Progress& progress() { return *progress_; }

 private:
  template <Row R>
  void append(const R& row) {
    append_json(stored_row(row));
  }
  /// Writes a row unless the last row of its kind is equal to it. The two differ if a run is resumed with
  /// other options.
  template <Row R>
  void append_change(const R& row) {
    if (rows().last<R>() != row) append(row);
  }
  void append_json(nlohmann::json row);
  void begin_energy(EnergyMeters& opened);
  StoppedEnergy measure_energy_of_run(EnergyMeters& opened, const EnergyOptions& options);
  void exclude(uint32_t kernel, const std::string& why);
  void begin_program_stage(const std::string& title);
  void verify();
  /// Throws Error if the launches differ from those that the program should launch (Subject::expected). A new
  /// run is then removed, because it measured nothing that was asked for.
  void refuse_unexpected_launches();
  nlohmann::json load_row() const;
  void append_load();
  ProgramIterations watched_iterations();
  ProgramIterations run_iterations();
  void settle_meter(Track& track, double each_s) const;
  IdlePower measure_idle(MeterRecord& meter, const EnergyOptions& options) const;
  EnergyPlan energy_plan(std::span<MeterRecord> meters, double time_limit_s);
  Stopped measure_blocks(const std::vector<std::unique_ptr<Meter>>& meters, const EnergyOptions& options);
  TimedIteration timed() const;
  Plan plan();
  void check_distortion();
  OtherStart other_start(const std::function<Subject()>& open) const;
  IsolatedKernel isolated(uint32_t kernel, const TimedIteration& iteration);
  /// The works that are repeated for power meters: first kernels back to back, then iterations with and
  /// without kernels.
  struct MeterWorks {
    std::vector<std::vector<uint32_t>> kernels;  ///< the kernels of each work; empty for the whole
    size_t back_to_back;                         ///< number of works that are repeated back to back
  };
  MeterWorks meter_works(int alone) const;
  /// Measures the works with indices below `end`, one after another. A resumed run omits the works that
  /// already have rows.
  void measure_meter_blocks(EnergyMeters& opened, PhaseRound round, const MeterWorks& works, size_t end);
  void repeat_for_meters(EnergyMeters& opened, PhaseRound round, const MeterWorks& works, size_t end);
  /// Calls `step`, which reads the meters. If one of them fails and the user did not name it, the run needs
  /// no meter: a warning is printed, and the meters are closed.
  static void unless_meter_fails(EnergyMeters& opened, const std::function<void()>& step);
  /// Measures one work. Returns its row with timestamps, or with an error if the device was lost.
  MeterBlock measured_meter_block(const std::vector<uint32_t>& kernels, double iteration_s,
                                  std::span<MeterRecord> meters, const ReadingWindow& window);
  std::vector<double> isolated_totals_s() const;
  /// Returns the row of a kernel whose replay in isolation made the device unusable.
  IsolatedKernel without_time(uint32_t kernel, const char* what, const Error& error);

  Subject& subject_;
  RunOptions options_;
  std::filesystem::path folder_;
  FileLock lock_;  ///< lock on the file of rows
  ResultRows rows_;
  bool is_new_ = false;  ///< whether this start of kjoule began the rows
  nlohmann::json load_;  ///< row of the machine's load at the start; null after it was written
  /// Rows of the folder that a resumed run measures again in virtual time, in order. The new rows must be
  /// equal to these rows, and are not written.
  std::deque<nlohmann::json> again_;
  bool runs_program_;  ///< whether the device runs the program within itself; false for a separate process
  std::unique_ptr<Progress> progress_;
  Recording recording_;
  KernelTable table_;
  /// Whether the device is unusable, because replayed work failed or did not end.
  bool is_lost_ = false;
};

}  // namespace kjoule
