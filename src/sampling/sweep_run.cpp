#include "sampling/sweep_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/interruption.hpp"
#include "base/process/progress.hpp"
#include "base/process/terminal.hpp"
#include "kjoule_version.hpp"
#include "sampling/sample_files.hpp"
#include "sampling/sample_requests.hpp"
#include "sampling/sampled_board.hpp"
#include "sampling/sampling_log.hpp"

namespace kjoule {

namespace {

/// Number of samples that one process times before their kernels are replayed. The number is large because
/// starting the process takes seconds; a killed run loses the times of at most this many samples.
constexpr size_t kTimedBeforeReplay = 512;

std::string dtype_of(const std::string& precision) {
  if (precision == "fp16") return "Half";
  return precision == "bf16" ? "BFloat16" : "Float";
}

/// Returns the note for an interrupted sweep: the number of samples in its CSV, and how to continue.
std::string kept_samples_text(const std::filesystem::path& csv) {
  size_t lines = 0;
  read_lines(csv, [&lines](std::string_view, bool ended) { lines += ended ? 1 : 0; });
  const size_t samples = std::max<size_t>(lines, 1) - 1;  // the first line has the columns' names
  return fmt::format("{} {} in {}; repeat the same command to continue", samples,
                     samples == 1 ? "sample is" : "samples are", csv.string());
}

/// The samples of one part, and the files that receive their rows.
class PartOfSweep {
 public:
  PartOfSweep(const SamplingConfiguration& configuration, const SamplingOptions& options,
              const SamplingDevice& device)
      : configuration_(configuration),
        options_(options),
        device_(device),
        roofs_(options.roofs ? options.roofs : find_device_roofs(device.name)),
        name_{gpu_file_name(device.name), configuration.kernel_name, options.precision, options.parts,
              options.part},
        files_(options.folder / "sampling_data", name_.text(), configuration.parameters,
               configuration.time_columns,
               options.requeued != nullptr ? Ownership::take_over : Ownership::lock),
        note_([csv = files_.csv()] { return kept_samples_text(csv); }) {
    files_.check_definition(definition(), configuration.file);
    collect();
    begin_run(device);
    log_.emplace(options.folder / "sampling_log" / (name_.text() + ".txt"),
                 configuration.kernel_name + '_' + options.precision, outcome_.samples, outcome_.before,
                 clock_);
  }

  /// Adds the rows of invalid shapes and returns the first batch of samples to time.
  std::vector<SampleRequest> begin() {
    progress_->stage(fmt::format("sampling {} in {}", configuration_.kernel_name, options_.precision));
    for (const SampleRow& row : invalid_) add(row);
    return next_batch();
  }

  /// Processes the answer to request number `request` of the batch. If the row is complete, it is added to
  /// the files; otherwise it is appended to `timed_` for replay.
  void take(size_t request, const SampleAnswer& answer) {
    const SampleRow& asked = pending_[first_ + request];
    SampleRow row = check_roofs({asked.sample, asked.shape, answer});
    if (options_.replay && row.answer.status == SampleStatus::measured)
      timed_.push_back({requests_[first_ + request], std::move(row)});
    else
      add(row);
  }

  /// Replays the first batch, times and replays the remaining batches, and returns the outcome.
  SweepOutcome finish() {
    replay_timed();
    for (auto batch = next_batch(); !batch.empty(); batch = next_batch()) {
      sample_requests(
          RestartedRunner(options_.start_runner), batch, [](const SamplingDevice&) {},
          [this](size_t request, const SampleAnswer& answer) { take(request, answer); });
      replay_timed();
    }
    progress_->finish();
    log_->finish();
    outcome_.name = name_;
    outcome_.csv = files_.csv();
    outcome_.jsonl = files_.jsonl();
    outcome_.has_roofs = roofs_.has_value();
    return outcome_;
  }

 private:
  void collect() {
    const Sweep sweep(configuration_.swept);
    for (size_t sample = 1; sample <= sweep.size(); ++sample) {
      if (part_of_sample(sample, options_.parts) != options_.part) continue;
      ++outcome_.samples;
      SampleShape shape = sweep.shape(sample - 1);
      const SampleRow* row = files_.row(shape);
      if (row != nullptr && lacks_energy(*row))
        timed_.push_back({make_sample_request(configuration_, options_.precision, shape), *row});
      else if (files_.contains(shape) && (row == nullptr || row->answer.status != SampleStatus::error))
        count_earlier(row);
      else
        ask({sample, std::move(shape), {}});
    }
    to_do_ = requests_.size() + invalid_.size() + timed_.size();
  }

  /// Counts a shape that already had a row before this run. `row` is null if the shape is only in the CSV.
  void count_earlier(const SampleRow* row) {
    ++outcome_.before;
    note_status(row == nullptr ? SampleAnswer{.status = SampleStatus::measured} : row->answer);
  }

  void note_status(const SampleAnswer& answer) {
    if (answer.status == SampleStatus::measured)
      outcome_.any_measured = true;
    else
      outcome_.last_error = answer.why;
  }

  /// Returns whether energy is requested but missing: the row was not replayed, or it was replayed without a
  /// meter and the user now names one.
  bool lacks_energy(const SampleRow& row) const {
    if (!options_.replay || row.answer.status != SampleStatus::measured) return false;
    return std::ranges::any_of(row.answer.directions, [&](const auto& named) {
      const auto& replayed = named.second.replay;
      return !replayed || (replayed->graph_us && !replayed->energy_j && options_.replay->energy.asked());
    });
  }

  void ask(SampleRow row) {
    try {
      requests_.push_back(make_sample_request(configuration_, options_.precision, row.shape));
      pending_.push_back(std::move(row));
    } catch (const Error& error) {
      row.answer.status = SampleStatus::invalid;
      row.answer.why = error.what();
      invalid_.push_back(std::move(row));
    }
  }

  /// Returns the definition of the samples. On the CPU it contains the number of threads, because times
  /// depend on it.
  nlohmann::json definition() const {
    nlohmann::json all = configuration_.definition();
    if (device_.threads > 0) all["threads"] = device_.threads;
    return all;
  }

  void begin_run(const SamplingDevice& device) {
    nlohmann::ordered_json run{{"kjoule", kjoule_version},
                               {"torch", device.torch},
                               {"device", device.name},
                               {"board", describe_sampled_board(device)},
                               {"threads", device.threads},
                               {"time", device.time},
                               {"operator", configuration_.function_name},
                               {"precision", options_.precision},
                               {"parts", options_.parts},
                               {"part", options_.part},
                               {"samples", outcome_.samples},
                               {"samples_of_sweep", Sweep(configuration_.swept).size()},
                               {"node", node_name()},
                               {"configuration", configuration_.file},
                               {"definition", definition()},
                               {"began", clock_.local_time(clock_.now_ns())}};
    if (options_.requeued != nullptr)
      run["slurm"] = {{"job", options_.requeued->job().id()},
                      {"restarts", options_.requeued->job().restarts()}};
    run["roof"] = roofs_ ? to_json(*roofs_) : nlohmann::json("unknown: no time was checked against it");
    if (to_do_ > 0) files_.begin_run(run);
  }

  std::vector<SampleRequest> next_batch() {
    first_ = end_;
    end_ = options_.replay ? std::min(requests_.size(), first_ + kTimedBeforeReplay) : requests_.size();
    return {requests_.begin() + static_cast<std::ptrdiff_t>(first_),
            requests_.begin() + static_cast<std::ptrdiff_t>(end_)};
  }

  void replay_timed() {
    if (timed_.empty()) return;
    const auto take = [this](const SampleRow& row) {
      note_missing_values(row.answer);
      add(row);
    };
    const auto take_meters = [this](const std::vector<nlohmann::json>& meters, const std::string& lack) {
      const nlohmann::ordered_json with{{"meters", meters}, {"reading_s", options_.replay->span_s}};
      if (with != written_meters_) files_.begin_run(written_meters_ = with);
      if (!lack.empty()) outcome_.energy_missing = lack;
    };
    const auto warn = [this](const std::string& note) {
      if (warned_.insert(note).second) print_error("warning: {}\n", note);
    };
    replay_samples(timed_, *options_.replay, device_, {take, take_meters, warn});
    timed_.clear();
  }

  void note_missing_values(const SampleAnswer& answer) {
    for (const auto& [name, direction] : answer.directions) {
      if (!direction.replay->graph_missing.empty()) {
        outcome_.why_not_replayed = direction.replay->graph_missing;
        ++outcome_.not_replayed;
        return;
      }
      if (!direction.replay->energy_missing.empty())
        outcome_.energy_missing = direction.replay->energy_missing;
    }
  }

  SampleRow check_roofs(SampleRow row) const {
    if (row.answer.status != SampleStatus::measured || !roofs_) return row;
    const std::vector<std::string> reasons = find_exceeded_roofs(*roofs_, options_.precision, row.answer);
    if (reasons.empty()) return row;
    row.answer.status = SampleStatus::too_fast;
    row.answer.why = fmt::format("{}", fmt::join(reasons, "; "));
    return row;
  }

  void add(const SampleRow& row) {
    files_.add(row);
    if (options_.requeued != nullptr) options_.requeued->count_row();
    log_->count_sample();
    ++outcome_.counts[status_name(row.answer.status)];
    note_status(row.answer);
    progress_->update(static_cast<double>(++done_) / static_cast<double>(to_do_));
  }

  const SamplingConfiguration& configuration_;
  const SamplingOptions& options_;
  SamplingDevice device_;
  std::optional<DeviceRoofs> roofs_;
  SampleName name_;
  SampleFiles files_;
  KeptNote note_;
  SteadyClock clock_;
  std::optional<SamplingLog> log_;
  std::unique_ptr<Progress> progress_ = make_progress();
  std::vector<SampleRequest> requests_;
  size_t first_ = 0, end_ = 0;                ///< range of the requests in the current batch
  std::vector<SampleRow> pending_, invalid_;  ///< a row for each request, and the rows of invalid shapes
  std::vector<TimedSample> timed_;            ///< samples whose kernels are still to be replayed
  nlohmann::ordered_json written_meters_;
  std::set<std::string> warned_;
  SweepOutcome outcome_;
  size_t to_do_ = 0, done_ = 0;
};

/// Returns a request for one pass of the warm-up shape; none if the configuration has no warm-up passes.
std::vector<SampleRequest> warm_up(const SamplingConfiguration& configuration, const std::string& precision) {
  if (configuration.warmup_passes == 0) return {};
  SampleRequest request = make_sample_request(configuration, precision, configuration.warmup_shape);
  request.warmup_passes = 0;
  request.active = 1;
  return {request};
}

void check_warm_up(const SampleAnswer& answer, const SamplingConfiguration& configuration,
                   const std::string& precision) {
  if (answer.status == SampleStatus::measured) return;
  throw Error(fmt::format("{}: the warm-up with the sizes [{}] in {} failed: {}: {}",
                          configuration.warmup_place, fmt::join(configuration.warmup_shape, ", "), precision,
                          status_name(answer.status), answer.why),
              "correct the operator or warmup_shapes, or choose another --device or --precision");
}

}  // namespace

SampleRequest make_sample_request(const SamplingConfiguration& configuration, const std::string& precision,
                                  const SampleShape& shape) {
  SampleRequest request;
  request.operator_name = configuration.function_name;
  request.precision = precision;
  request.shape = configuration.numbers_of(shape);
  request.warmup_shape = configuration.numbers_of(configuration.warmup_shape);
  request.warmup_passes = configuration.warmup_passes;
  request.active = configuration.active;
  request.wants_backward = configuration.time_columns.size() > 1;
  if (configuration.call) {
    request.call = configuration.call_of(shape, dtype_of(precision));
    request.warmup_call = configuration.call_of(configuration.warmup_shape, dtype_of(precision));
  }
  return request;
}

SweepOutcome sample_sweep(const SamplingConfiguration& configuration, const SamplingOptions& options) {
  std::vector<SampleRequest> requests = warm_up(configuration, options.precision);
  const size_t to_warm_up = requests.size();
  std::optional<SamplingDevice> device;
  std::optional<PartOfSweep> part;
  // The process that ran the warm-up also times the first batch: a new process would load all kernels again.
  const auto begin = [&] {
    part.emplace(configuration, options, *device);
    const std::vector<SampleRequest> first = part->begin();
    requests.insert(requests.end(), first.begin(), first.end());
  };
  const auto take_device = [&](const SamplingDevice& found) {
    device = found;
    if (to_warm_up == 0) begin();
  };
  const auto take = [&](size_t request, const SampleAnswer& answer) {
    if (request >= to_warm_up) return part->take(request - to_warm_up, answer);
    check_warm_up(answer, configuration, options.precision);
    begin();
  };
  sample_requests(RestartedRunner(options.start_runner), requests, take_device, take);
  return part->finish();
}

}  // namespace kjoule
