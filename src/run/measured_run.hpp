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

/// Work that is measured in isolation, as several copies. Each copy has its own launches.
struct IsolatedWork {
  std::string name;
  std::vector<std::vector<LaunchIndex>> copies;
};

/// One run, which fills its results folder step by step. Each step uses the rows that the folder already
/// contains, measures the missing ones, and writes each row as soon as it is complete, so that a killed run
/// keeps every completed row.
class MeasuredRun {
 public:
  /// Creates the folder, or opens the folder of an interrupted run. Throws Error if this run measured another
  /// program.
  MeasuredRun(const std::string& command, Subject& subject, const RunOptions& options);

  /// Returns the times of the program's own iterations in one contiguous block. kjoule runs these iterations
  /// if it can; otherwise they are the last ones that the program ran before the recorded iteration.
  ProgramIterations program_iterations();
  /// Records one iteration and verifies its replay. A resumed run records it again. Throws Error if its
  /// launches differ from those of the interrupted run.
  void record();
  /// Like record(), for an iteration that the device has already recorded.
  void record(Recording recording);
  /// Calls program_iterations() and record(). For a program in a separate process, record() comes first,
  /// because the times of its own iterations come with the recording.
  void time_and_record();
  /// Ends the readings of `power`, and writes a row with the mean power of the program's GPU while its
  /// iterations were timed. If the iteration was found as a loop, the last three quarters of the `loop_s`
  /// seconds before them are included. Writes no row if this time is too short.
  void own_power(ProgramPower& power, double loop_s);
  /// Reads the device's own timeline of the recorded iteration. If it cannot be read, a row contains the
  /// reason. Returns false if the device keeps no timeline.
  bool observe();
  const Recording& recording() const { return recording_; }
  const KernelTable& table() const { return table_; }
  /// Returns the times of the kernels in isolation. To be called last: if a kernel never ends in isolation,
  /// the device is lost, the row of this kernel contains the reason, and the kernels after it have no rows.
  /// No kernel is begun after `most_s` seconds, because a kernel whose memory is restored from the host takes
  /// seconds.
  std::vector<IsolatedKernel> isolated(double most_s = std::numeric_limits<double>::infinity());
  /// Starts the program `starts` more times, and writes a row with the whole of each start.
  void other_starts(int starts, const std::function<Subject()>& open);
  /// Times the iteration with the program's own streams in parallel, if its launches can overlap.
  void overlapped();
  /// Measures rounds until the sum is precise enough or the time limit is reached.
  void rounds(const RoundOptions& options);
  /// Measures the energy of whole and kernels with these meters, and writes a power log into the folder. To
  /// be called after rounds(). If there is no meter, or it fails, a row contains the reason, and a resumed
  /// run measures the missing energy. Throws WriteError, without such a row, if a file cannot be written.
  void energy(EnergyMeters& meters, const EnergyOptions& options);
  /// Returns whether the device can replay the iteration without some of its kernels, which energy() needs.
  bool can_leave_out_kernels() const { return !subject_.device->info().can_time_between_launches; }
  /// Logs the meters to a new file in the folder from now on.
  void log_power(EnergyMeters& meters);
  /// Repeats for a power meter, for `meters.block_s` seconds each: the whole, each of the `alone` largest
  /// kernels, and on a CPU the remaining kernels of each tier together. Reads the meters, if there are any.
  /// To be called after isolated(), whose times show which kernels are largest.
  void meter_blocks(EnergyMeters& meters, int alone);
  /// On a GPU, where meter_blocks() repeats only single kernels, measures the remaining kernels of each tier:
  /// it repeats iterations with and without them for `meters.block_s` seconds each. To be called after
  /// meter_blocks().
  void meter_differences(EnergyMeters& meters, int alone);
  /// Runs a load pattern, by which the clock offset of a power log is found: iterations in some periods, and
  /// idle time in others. Each period is several sensor intervals of the meters long; without meters, a
  /// sensor interval of 1 s is assumed.
  void play_load(const EnergyMeters& meters);
  /// Reads the meters until their log covers everything up to now, and closes them.
  void end_power(EnergyMeters& meters);
  /// Measures each work in isolation, one after another, and its energy if there are meters. Returns a row
  /// for each work; that of work that cannot be replayed has the error.
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
    nlohmann::json json = write_fields(row);
    json["kind"] = R::kKind;
    append_json(std::move(json));
  }
  /// Writes a row unless the last row of its kind is equal. It differs if a run is resumed with other
  /// options.
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
  nlohmann::json load_row() const;
  void append_load();
  ProgramIterations watched_iterations();
  ProgramIterations run_iterations();
  void settle_meter(Track& track, double each_s) const;
  IdlePower measure_idle(MeterRecord& meter, const EnergyOptions& options) const;
  EnergyPlan energy_plan(std::span<MeterRecord> meters, double time_limit_s);
  Stopped measure_blocks(const std::vector<std::unique_ptr<Meter>>& meters, const EnergyOptions& options);
  TimedIteration timed() const;
  Plan plan(const TimedIteration& iteration);
  void check_distortion();
  OtherStart other_start(const std::function<Subject()>& open) const;
  IsolatedKernel isolated(uint32_t kernel, const TimedIteration& iteration);
  /// What is repeated for power meters: first kernels back to back, then iterations with and without kernels.
  struct MeterWorks {
    std::vector<std::vector<uint32_t>> kernels;  ///< of each work; empty for the whole
    size_t back_to_back;                         ///< number of works that are repeated back to back
  };
  MeterWorks meter_works(int alone) const;
  /// Measures one work after another, up to `end`. A resumed run continues after those that it has.
  void measure_works(EnergyMeters& opened, PhaseRound round, const MeterWorks& works, size_t end);
  /// Returns a measured work with timestamps, or with an error if the device was lost.
  MeterBlock measured_work(const std::vector<uint32_t>& kernels, double iteration_s,
                           std::span<MeterRecord> meters, const ReadingWindow& window);
  std::vector<double> isolated_totals_s() const;
  /// Returns the row of a kernel whose replay in isolation made the device unusable.
  IsolatedKernel without_time(uint32_t kernel, const char* what, const Error& error);

  Subject& subject_;
  RunOptions options_;
  std::filesystem::path folder_;
  FileLock lock_;  ///< lock on the file of rows
  ResultRows rows_;
  nlohmann::json load_;  ///< row of the machine's load at the start; null after it was written
  /// Rows of the folder that are measured again in virtual time, in order. The new rows must be equal to
  /// them, and are not written.
  std::deque<nlohmann::json> again_;
  bool runs_program_;  ///< whether the device runs the program within itself; false for a separate process
  std::unique_ptr<Progress> progress_;
  Recording recording_;
  KernelTable table_;
  /// Whether the device cannot be used any more, because replayed work failed or did not end.
  bool is_lost_ = false;
};

}  // namespace kjoule
