#include "sampling/replayed_samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/numbers/statistics.hpp"
#include "measure/isolated/isolated_reader.hpp"
#include "recording/call_ranges.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

namespace {

/// The largest number of samples of one process. It is large because starting a process takes about a second;
/// if a process is lost, the remaining samples need a new one.
constexpr size_t kMostTogether = 128;
/// Share of the GPU's free memory for the samples of one process: recorded memory is kept twice, and
/// libtorch's allocator leaves gaps.
constexpr double kShareOfGpu = 0.25;
constexpr double kMostBytesOnCpu = 1e9;  ///< memory on the CPU for the samples of one process

using Batch = std::span<const TimedSample>;

/// Returns the approximate size of the sample's tensors in bytes.
double bytes_of(const SampleAnswer& answer) {
  if (answer.peak_memory_bytes) return static_cast<double>(*answer.peak_memory_bytes);
  double bytes = 0;
  for (const auto& [name, direction] : answer.directions) bytes += direction.least_bytes.value_or(0);
  return bytes;
}

/// A process that runs the samples of a batch, and the recording of their launches.
class BatchRecording {
 public:
  /// Throws Error if the samples cannot be run or recorded together.
  BatchRecording(Batch batch, const SampleReplayOptions& options)
      : batch_(batch),
        window_(options.reading),
        subject_(open_samples(options)),
        recording_(subject_.device->record()),
        launches_(launches_of_calls(recording_, call_numbers())) {}

  /// Opens the meters. Throws Error if a meter that the user named is not available.
  void open_meters(const EnergyMeterOptions& energy, const SampleReplayReceiver& receiver) {
    meters_ = open_energy_meters(subject_, energy);
    choose_meter();
    std::vector<nlohmann::json> facts;
    for (const auto& meter : meters_.meters) facts.push_back(facts_json(meter->facts()));
    receiver.take_meters(facts, meters_.lack);
    meters_.poll();
    records_ = records_under_load(meters_.meters);
  }

  /// Replays all launches once. Throws DeviceError.
  void replay_all() {
    reader_.emplace(*subject_.device, static_cast<LaunchIndex>(recording_.launches.size()),
                    launches(batch_.size(), "forward"), records_, window_);
  }

  /// Replays sample `i` of the batch and returns its row. Call it for i = 0, 1, 2, ... in this order:
  /// kjoule-torch ran the samples in reverse order, for the reason in torch/sampled_model.hpp. Throws
  /// DeviceError if the process is lost.
  SampleRow replay_sample(size_t i) {
    SampleRow row = batch_[i].row;
    int64_t kernels = 0;
    // Backward is replayed first, because forward may overwrite what backward reads.
    for (const char* name : {"backward", "forward", "step"}) {
      const auto direction = row.answer.directions.find(name);
      if (direction == row.answer.directions.end()) continue;
      direction->second.replay =
          replay_direction(name, launches(batch_.size() - 1 - i, name), direction->second);
      for (const auto& [kernel, count] : direction->second.replay->kernels) kernels += count;
    }
    row.answer.kernels = kernels;
    return row;
  }

  std::vector<std::string> take_notes() {
    std::vector<std::string> all;
    for (const auto& meter : meters_.meters)
      for (std::string& note : meter->take_notes()) all.push_back(std::move(note));
    return all;
  }

 private:
  /// Keeps one meter: among those with the scope of the first, the first one for which readings are long
  /// enough; if there is none, the first meter.
  void choose_meter() {
    std::vector<std::unique_ptr<Meter>>& all = meters_.meters;
    const auto suits = [&](const std::unique_ptr<Meter>& meter) {
      return meter->facts().scope == all.front()->facts().scope &&
             !too_short_message(meter->facts(), window_.span_s);
    };
    const auto found = std::ranges::find_if(all, suits);
    if (found != all.end()) std::swap(*found, all.front());
    if (!all.empty()) all.resize(1);
  }

  Subject open_samples(const SampleReplayOptions& options) const {
    std::vector<SampleRequest> reversed;
    for (size_t i = batch_.size(); i-- > 0;) reversed.push_back(batch_[i].request);
    return options.open(std::move(reversed));
  }

  std::vector<size_t> call_numbers() const {
    std::vector<size_t> all(kSampledCalls * (batch_.size() + 1));
    std::iota(all.begin(), all.end(), size_t{0});
    return all;
  }

  std::vector<LaunchIndex> launches(size_t request, const std::string& direction) const {
    const auto found = launches_.find(sampled_call(request, direction));
    return found == launches_.end() ? std::vector<LaunchIndex>() : found->second;
  }

  ReplayedDirection replay_direction(const std::string& name, const std::vector<LaunchIndex>& launches,
                                     const SampledDirection& timed) {
    ReplayedDirection result;
    for (const LaunchIndex launch : launches) ++result.kernels[recording_.launches[launch].name];
    if (launches.empty()) {
      result.graph_missing = "the operator launched nothing";
      return result;
    }
    try {
      add_reading(reader_->read(name, launches, median(timed.passes_us) * 1e-6), result);
    } catch (const DeviceError& error) {
      if (error.lost) throw;
      result.graph_missing = error.what();
    }
    return result;
  }

  void add_reading(const IsolatedReading& reading, ReplayedDirection& result) const {
    result.graph_us = reading.each_s.value * 1e6;
    if (std::isfinite(reading.each_s.half_width))
      result.graph_half_width_us = reading.each_s.half_width * 1e6;
    result.watts = reading.mean_w;
    result.with_filler = reading.with_filler;
    if (reading.mean_w) result.energy_j = *reading.mean_w * reading.each_s.value;
    if (!reading.mean_w)
      result.energy_missing =
          records_.empty() ? meters_.lack : "the meter gave no reading while the operator ran";
    else if (const auto flag = too_short_message(meters_.meters.front()->facts(), reading.read_s))
      result.flags.push_back(*flag);
    if (!reading.clock_hz) return;
    result.clock_mhz = *reading.clock_hz * 1e-6;
    if (reader_->is_slow(reading))
      result.flags.push_back(
          fmt::format("the GPU's clock was {:.0f} MHz, but {:.0f} MHz without load{}", *result.clock_mhz,
                      *reader_->rested_clock_hz() * 1e-6,
                      reading.throttle_reasons.empty()
                          ? ""
                          : fmt::format(" ({})", fmt::join(reading.throttle_reasons, ", "))));
  }

  Batch batch_;
  ReadingWindow window_;
  Subject subject_;
  Recording recording_;
  std::map<size_t, std::vector<LaunchIndex>> launches_;
  EnergyMeters meters_;
  std::vector<MeterRecord> records_;
  std::optional<IsolatedReader> reader_;
};

SampleRow mark_not_replayed(SampleRow row, const std::string& why) {
  for (auto& [name, direction] : row.answer.directions) {
    direction.replay.emplace();
    direction.replay->graph_missing = why;
  }
  return row;
}

/// Runs and replays the samples of a batch together. If that is impossible, returns null and writes the
/// reason to `why`.
std::unique_ptr<BatchRecording> record_batch(Batch batch, const SampleReplayOptions& options,
                                             const SampleReplayReceiver& receiver, std::string& why) {
  std::unique_ptr<BatchRecording> recorded;
  try {
    recorded = std::make_unique<BatchRecording>(batch, options);
  } catch (const Error& error) {
    why = error.line();
    return {};
  }
  if (options.energy) recorded->open_meters(*options.energy, receiver);
  try {
    recorded->replay_all();
  } catch (const DeviceError& error) {
    why = error.line();
    return {};
  }
  return recorded;
}

void replay_samples_in_batches(Batch batch, const SampleReplayOptions& options,
                               const SampleReplayReceiver& receiver);

/// Replays a batch and returns how many of its samples have received their row: all, or those up to and
/// including the sample that ended the process.
size_t replay_batch(Batch batch, const SampleReplayOptions& options, const SampleReplayReceiver& receiver) {
  std::string why;
  const auto recorded = record_batch(batch, options, receiver, why);
  if (!recorded && batch.size() > 1) {
    receiver.take_note(fmt::format("{} samples could not be recorded in one process, so they are divided: {}",
                                   batch.size(), why));
    const size_t half = batch.size() / 2;
    replay_samples_in_batches(batch.first(half), options, receiver);
    replay_samples_in_batches(batch.subspan(half), options, receiver);
    return batch.size();
  }
  if (!recorded) {
    receiver.take_row(mark_not_replayed(batch.front().row, why));
    return 1;
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    try {
      receiver.take_row(recorded->replay_sample(i));
    } catch (const DeviceError& error) {
      receiver.take_row(mark_not_replayed(batch[i].row, error.what()));
      return i + 1;
    }
  }
  for (const std::string& note : recorded->take_notes()) receiver.take_note(note);
  return batch.size();
}

void replay_samples_in_batches(Batch batch, const SampleReplayOptions& options,
                               const SampleReplayReceiver& receiver) {
  while (!batch.empty()) batch = batch.subspan(replay_batch(batch, options, receiver));
}

}  // namespace

void replay_samples(const std::vector<TimedSample>& samples, const SampleReplayOptions& options,
                    const SamplingDevice& device, const SampleReplayReceiver& receiver) {
  const double most_bytes =
      device.free_bytes ? kShareOfGpu * static_cast<double>(*device.free_bytes) : kMostBytesOnCpu;
  for (size_t first = 0; first < samples.size();) {
    size_t end = first;
    for (double bytes = 0; end < samples.size() && end - first < kMostTogether; ++end) {
      bytes += bytes_of(samples[end].row.answer);
      if (end > first && bytes > most_bytes) break;
    }
    replay_samples_in_batches(std::span(samples).subspan(first, end - first), options, receiver);
    first = end;
  }
}

}  // namespace kjoule
