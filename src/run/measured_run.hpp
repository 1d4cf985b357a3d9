#pragma once
#include <filesystem>
#include <map>

#include "base/file_lock.hpp"
#include "base/progress.hpp"
#include "measure/alone.hpp"
#include "measure/isolated.hpp"
#include "measure/plan.hpp"
#include "measure/rounds.hpp"
#include "run/energy_meters.hpp"
#include "run/results_folder.hpp"
#include "run/rows.hpp"
#include "run/run_rows.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Copies of the same work, each with launches of its own.
struct AloneWork {
  std::string name;
  std::vector<std::vector<LaunchIndex>> copies;
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

  /// Returns the folder's row of that kind; where it has none, the result of `make` becomes it.
  template <Row R>
  R once(const std::function<R()>& make) {
    if (auto row = rows().first<R>()) return *std::move(row);
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
  void append_json(nlohmann::json row);
  void exclude(uint32_t kernel, const std::string& why);
  void verify();
  nlohmann::json load_row() const;
  void append_load();
  FullTiming seen_whole();
  FullTiming played_whole();
  IdlePower measure_idle(MeterRecord& meter, const EnergyOptions& options) const;
  EnergyPlan energy_plan(std::span<MeterRecord> meters, double time_limit_s);
  double left_for_blocks_s() const;
  Stopped measure_blocks(const std::vector<std::unique_ptr<Meter>>& meters, const EnergyOptions& options);
  TimedIteration timed() const;
  Plan plan(const TimedIteration& iteration);
  void note_stopped(const StoppedRounds& row);
  void check_distortion();
  OtherStart other_start(const std::function<Subject()>& open) const;

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

}  // namespace kjoule
