#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/process/interruption.hpp"
#include "base/process/progress.hpp"
#include "sampling/device_sampler.hpp"
#include "sampling/sample_files.hpp"
#include "sampling/sample_name.hpp"
#include "sampling/sampling_log.hpp"

namespace kjoule {

/// What one GPU contributed to a sweep that several GPUs measure.
struct GpuShare {
  size_t number = 0;   ///< CUDA's number of the GPU
  std::string uuid{};  ///< empty if it could not be started
  size_t samples = 0;  ///< number of samples that it measured
  std::string lack{};  ///< why it was not used, or not to the end; otherwise empty
};

/// The outcome of sampling one part.
struct SweepOutcome {
  SampleName name;
  std::filesystem::path csv, jsonl;
  size_t samples = 0;                    ///< number of samples of the part
  size_t before = 0;                     ///< number of samples that already had a row before this run
  bool any_measured = false;             ///< whether any sample was measured, in this or an earlier run
  std::map<std::string, size_t> counts;  ///< number of samples of this run by status
  std::string last_error;                ///< why the latest sample that was not measured failed
  size_t not_replayed = 0;       ///< number of samples that were timed, but whose kernels were not replayed
  std::string why_not_replayed;  ///< the reason for the latest of them
  std::string energy_missing;    ///< why replayed samples have no energy
  bool has_roofs = false;        ///< whether times were checked against the device's peak rates
  std::vector<GpuShare> gpus;    ///< empty unless GPUs shared the samples
};

/// The samples of one part of a sweep, and the files that receive their rows.
class SweepPart final : public SampleReceiver {
 public:
  /// Opens the files and collects the samples that have no row, or only one with the status error, and those
  /// that lack a requested energy or time of a graph. `devices` are the devices that measure the part, which
  /// are of one kind; at least one. `shown` is the title of the progress. Throws the errors of SampleFiles.
  SweepPart(const SamplingConfiguration& configuration, const SamplingOptions& options,
            const std::vector<SamplingDevice>& devices, const std::string& shown);

  /// Returns the samples to measure. The constructor has written the rows of all shapes that are invalid.
  const std::vector<SampleTask>& tasks() const { return tasks_; }
  /// With a budget, replaces the tasks, which were measured, by those that are chosen next. Returns whether
  /// there are any.
  bool choose_more();
  /// Writes the row.
  void take_row(const SampleRow& row) override;
  /// Writes the row, so that an interruption does not lose the times.
  void take_timed(const SampleRow& row) override;
  void take_meters(const std::string& gpu, const std::vector<nlohmann::json>& meters,
                   const std::string& lack) override;
  /// Prints a warning, unless it was printed before.
  void take_note(const std::string& note) override;
  /// Ends the log and the progress. Call it also if not all samples could be measured.
  SweepOutcome finish();

 private:
  void collect();
  void collect_repeated();
  void collect_chosen();
  void write_invalid();
  void collect(size_t sample, SampleShape shape);
  void count_earlier(const SampleRow* row);
  void note_status(const SampleAnswer& answer);
  bool lacks_replay(const SampleRow& row) const;
  nlohmann::json definition() const;
  nlohmann::ordered_json boards() const;
  void begin_run();
  void write(const SampleRow& row);
  void note_missing_values(const SampleAnswer& answer);
  double since_last_row_of(const std::string& gpu);

  const SamplingConfiguration& configuration_;
  const SamplingOptions& options_;
  std::vector<SamplingDevice> devices_;
  SampleName name_;
  SampleFiles files_;
  KeptNote note_;
  SteadyClock clock_;
  std::optional<SamplingLog> log_;
  std::unique_ptr<Progress> progress_ = make_progress();
  std::vector<SampleTask> tasks_;
  std::vector<SampleRow> invalid_;              ///< rows of shapes for which no request can be made
  std::map<std::string, int64_t> last_row_ns_;  ///< time of the latest row of each GPU
  int64_t began_ns_ = 0;
  std::map<std::string, nlohmann::ordered_json> written_meters_;  ///< latest meters of each GPU
  std::set<std::string> warned_;
  std::set<size_t> chosen_;  ///< with a budget: numbers of the shapes that this run has chosen, from 0
  SweepOutcome outcome_;
  size_t to_do_ = 0, done_ = 0;
};

}  // namespace kjoule
