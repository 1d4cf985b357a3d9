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

/// Work that is measured in isolation: several copies, each with launches of its own.
struct IsolatedWork {
  std::string name;
  std::vector<std::vector<LaunchIndex>> copies;
};

/// One run, which fills its results folder phase by phase. Each phase takes the rows that the folder already
/// contains, measures what is missing, and writes every row as soon as it is complete, so a killed run loses
/// no completed row.
class MeasuredRun {
 public:
  /// Creates the folder, or opens that of a killed run. Throws Error if that run measured another program.
  MeasuredRun(const std::string& command, Subject& subject, const RunOptions& options);

  /// Returns the times of the program's own iterations in one contiguous block. They are run now; if only the
  /// program can run them, they are the last ones before the recorded iteration.
  ProgramIterations program_iterations();
  /// Records one iteration and verifies its replay. A resumed run records again; the iteration must be the
  /// same, otherwise Error is thrown.
  void record();
  /// As record(), with an iteration that the device has recorded already.
  void record(Recording recording);
  /// Calls program_iterations() and record() in the order that the device requires: a program that runs by
  /// itself has run its iterations only when one was recorded.
  void time_and_record();
  /// Ends the readings, and keeps the mean power of the program's GPU while its iterations were timed and, if
  /// the iteration was found as a loop, in the last three quarters of the `loop_s` seconds before them. Keeps
  /// nothing if this was too short.
  void own_power(ProgramPower& power, double loop_s);
  /// Reads the device's own timeline of the recorded iteration. If it cannot be read, the reason becomes a
  /// row. Returns false if the device keeps no timeline.
  bool observe();
  const Recording& recording() const { return recording_; }
  const KernelTable& table() const { return table_; }
  /// Returns the times of the kernels in isolation. Call it last: a kernel that never ends in isolation makes
  /// the device useless; its row says so, and the kernels after it have none. After `most_s` seconds no other
  /// kernel is begun: where memory is restored from the host, one kernel takes seconds.
  std::vector<IsolatedKernel> isolated(double most_s = std::numeric_limits<double>::infinity());
  /// Starts the program `starts` more times and times the whole of each start, which becomes one row.
  void other_starts(int starts, const std::function<Subject()>& open);
  /// Times the iteration with the program's own streams in parallel, if its launches can overlap.
  void overlapped();
  /// Measures rounds until the sum is precise enough or the time limit is reached.
  void rounds(const RoundOptions& options);
  /// Measures the energy of whole and kernels with these meters, and writes a power log into the folder. Call
  /// it after rounds(). If there is no meter, or it fails, the reason becomes a row, and a resumed run
  /// measures the energy that is missing. Throws WriteError if a file cannot be written; no row says so then.
  void energy(EnergyMeters& meters, const EnergyOptions& options);
  /// Returns whether the device can replay the iteration without some of its kernels, as energy() needs it.
  bool can_leave_out_kernels() const { return !subject_.device->info().can_time_between_launches; }
  /// Logs the meters to a new file of the folder from now on.
  void log_power(EnergyMeters& meters);
  /// Repeats the whole, each of the `alone` largest kernels, and (on a CPU) the others by tier, back to back
  /// for `meters.block_s` seconds each, so that a power meter can read them; call it after isolated(),
  /// because the kernels' times decide. Reads the meters, if there are any.
  void meter_blocks(EnergyMeters& meters, int alone);
  /// On a GPU, where meter_blocks() repeats no kernels together: measures the others of each tier by a
  /// difference of iterations, for `meters.block_s` seconds each. Call it after meter_blocks().
  void meter_differences(EnergyMeters& meters, int alone);
  /// Plays a load pattern, with which the clock offset of a power log is found: iterations in some periods,
  /// and nothing in others. Its periods are so long that the meters show them; without meters, that one with
  /// one reading per second does.
  void play_load(const EnergyMeters& meters);
  /// Reads the meters until their log covers everything up to now, and closes them.
  void end_power(EnergyMeters& meters);
  /// Measures each work in isolation, one after another, with the meters if there are any. The error of work
  /// that cannot be replayed is a result, too.
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
  /// Writes a row unless the last one of its kind is equal: of a run that is resumed with other options.
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
  /// Returns the row of a kernel with which the device was lost.
  IsolatedKernel without_time(uint32_t kernel, const char* what, const Error& error);

  Subject& subject_;
  RunOptions options_;
  std::filesystem::path folder_;
  FileLock lock_;  ///< lock on the file of rows
  ResultRows rows_;
  nlohmann::json load_;  ///< row of the load at the start, until the first measured row is written
  /// Rows that the folder has and that are measured again in virtual time, the next one first: they must be
  /// the same, and are not appended.
  std::deque<nlohmann::json> again_;
  bool runs_program_;  ///< whether the device runs the program itself, not as a process of its own
  std::unique_ptr<Progress> progress_;
  Recording recording_;
  KernelTable table_;
  bool is_lost_ =
      false;  ///< whether replayed work failed or did not end, so that the device is of no use any more
};

}  // namespace kjoule
