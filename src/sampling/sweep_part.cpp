#include "sampling/sweep_part.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "kjoule_version.hpp"
#include "sampling/sample_requests.hpp"
#include "sampling/sampled_board.hpp"

namespace kjoule {

namespace {

/// Returns the note for an interrupted sweep: the number of samples in its CSV, and how to continue.
std::string kept_samples_text(const std::filesystem::path& csv) {
  size_t lines = 0;
  read_lines(csv, [&lines](std::string_view, bool ended) { lines += ended ? 1 : 0; });
  const size_t samples = std::max<size_t>(lines, 1) - 1;  // the first line has the columns' names
  return fmt::format("{} {} in {}; repeat the same command to continue", samples,
                     samples == 1 ? "sample is" : "samples are", csv.string());
}

}  // namespace

SweepPart::SweepPart(const SamplingConfiguration& configuration, const SamplingOptions& options,
                     const std::vector<SamplingDevice>& devices, const std::string& shown)
    : configuration_(configuration),
      options_(options),
      devices_(devices),
      name_{gpu_file_name(devices.front().name), configuration.kernel_name, options.precision, options.parts,
            options.part},
      files_(options.folder / "sampling_data", name_.text(), configuration.parameters,
             configuration.time_columns,
             options.requeued != nullptr ? Ownership::take_over : Ownership::lock),
      note_([csv = files_.csv()] { return kept_samples_text(csv); }) {
  files_.check_definition(definition(), configuration.file);
  collect();
  begin_run();
  log_.emplace(options.folder / "sampling_log" / (name_.text() + ".txt"),
               configuration.kernel_name + '_' + options.precision, outcome_.samples, outcome_.before,
               clock_);
  progress_->stage(shown);
  began_ns_ = clock_.now_ns();
  write_invalid();
}

void SweepPart::write_invalid() {
  for (const SampleRow& row : std::exchange(invalid_, {})) take_row(row);
}

/// Collects the shapes to repeat: all of them once, and then all of them again, so that a disturbance does
/// not affect both measurements of a shape.
void SweepPart::collect_repeated() {
  constexpr int kTimes = 2;
  const Sweep sweep(configuration_.swept);
  std::map<SampleShape, size_t> numbers;
  for (size_t sample = 1; sample <= sweep.size(); ++sample) numbers[sweep.shape(sample - 1)] = sample;
  for (int time = 0; time < kTimes; ++time)
    for (const SampleShape& shape : options_.repeated) {
      const auto number = numbers.find(shape);
      if (number == numbers.end())
        throw Error(fmt::format("{}: the sweep has no shape {}", configuration_.file, fmt::join(shape, ",")),
                    "give the configuration with which the listed shapes were measured");
      tasks_.push_back({make_sample_request(configuration_, options_.precision, shape),
                        SampleRow{number->second, shape, {}}, false});
    }
  outcome_.samples = tasks_.size();
}

/// Collects the shapes of the sweep that are chosen next.
void SweepPart::collect_chosen() {
  const Sweep sweep(configuration_.swept);
  std::vector<SampleShape> shapes;
  std::map<size_t, std::vector<double>> measured;
  for (size_t number = 0; number < sweep.size(); ++number) {
    shapes.push_back(sweep.shape(number));
    const SampleRow* row = files_.row(shapes.back());
    // A shape that failed is tried again by the next command, not in the same run.
    const bool has_failed = row != nullptr && row->answer.status == SampleStatus::error;
    if (row == nullptr || (has_failed && !chosen_.contains(number))) continue;
    std::vector<double>& times = measured[number];
    if (row->answer.status != SampleStatus::measured) continue;
    if (lacks_replay(*row) && chosen_.insert(number).second) collect(number + 1, shapes.back());
    for (const char* direction : {"forward", "backward", "step"})
      if (const auto found = row->answer.directions.find(direction); found != row->answer.directions.end())
        times.push_back(median_of_passes(found->second.passes_us).value);
  }
  outcome_.samples = std::min(*options_.budget, sweep.size());
  const size_t replayed = tasks_.size();  // these were timed by an earlier run
  const size_t left = outcome_.samples - std::min(outcome_.samples, measured.size());
  for (const size_t number : options_.choose(shapes, measured, left)) {
    if (left == 0) break;
    chosen_.insert(number);
    collect(number + 1, shapes[number]);
  }
  if (done_ == 0 && outcome_.before == 0) {
    outcome_.before = measured.size() - replayed;
    to_do_ = left + replayed;
    for (const auto& [number, times] : measured)
      outcome_.any_measured = outcome_.any_measured || !times.empty();
  }
}

bool SweepPart::choose_more() {
  if (!options_.budget) return false;
  tasks_.clear();
  collect_chosen();
  write_invalid();
  return !tasks_.empty();
}

void SweepPart::collect() {
  if (options_.budget) return collect_chosen();
  if (!options_.repeated.empty()) {
    collect_repeated();
    to_do_ = tasks_.size();
    return;
  }
  const Sweep sweep(configuration_.swept);
  for (size_t sample = 1; sample <= sweep.size(); ++sample) {
    if (part_of_sample(sample, options_.parts) != options_.part) continue;
    ++outcome_.samples;
    collect(sample, sweep.shape(sample - 1));
  }
  to_do_ = tasks_.size() + invalid_.size();
}

void SweepPart::collect(size_t sample, SampleShape shape) {
  const SampleRow* row = files_.row(shape);
  const bool only_lacks_replay = row != nullptr && lacks_replay(*row);
  if (!only_lacks_replay && files_.contains(shape) &&
      (row == nullptr || row->answer.status != SampleStatus::error))
    return count_earlier(row);
  SampleRow asked = only_lacks_replay ? *row : SampleRow{sample, shape, {}};
  try {
    const SampleRequest request = make_sample_request(configuration_, options_.precision, shape);
    tasks_.push_back({request, std::move(asked), only_lacks_replay});
  } catch (const Error& error) {
    asked.answer.status = SampleStatus::invalid;
    asked.answer.why = error.what();
    invalid_.push_back(std::move(asked));
  }
}

/// Counts a shape that already had a row before this run. `row` is null if the shape is only in the CSV.
void SweepPart::count_earlier(const SampleRow* row) {
  ++outcome_.before;
  note_status(row == nullptr ? SampleAnswer{.status = SampleStatus::measured} : row->answer);
}

void SweepPart::note_status(const SampleAnswer& answer) {
  if (answer.status == SampleStatus::measured)
    outcome_.any_measured = true;
  else
    outcome_.last_error = answer.why;
}

/// Returns whether a requested time of a graph or a requested energy is missing: the row was not replayed, or
/// it was replayed without looking for a meter, or without a meter although the user now names one.
bool SweepPart::lacks_replay(const SampleRow& row) const {
  if (!options_.replay || row.answer.status != SampleStatus::measured) return false;
  const auto& energy = options_.replay->energy;
  return std::ranges::any_of(row.answer.directions, [&](const auto& named) {
    const auto& replayed = named.second.replay;
    if (!replayed) return true;
    return energy && replayed->graph_us && !replayed->energy_j &&
           (replayed->energy_missing.empty() || energy->asked());
  });
}

/// Returns the definition of the samples. On the CPU it contains the number of threads, because times depend
/// on it.
nlohmann::json SweepPart::definition() const {
  nlohmann::json all = configuration_.definition();
  if (devices_.front().threads > 0) all["threads"] = devices_.front().threads;
  return all;
}

nlohmann::ordered_json SweepPart::boards() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const SamplingDevice& device : devices_) all.push_back(describe_sampled_board(device));
  return all;
}

void SweepPart::begin_run() {
  if (to_do_ == 0) return;
  const SamplingDevice& device = devices_.front();
  nlohmann::ordered_json run{
      {"kjoule", kjoule_version},
      {"torch", device.torch},
      {"device", device.name},
      {"board", describe_sampled_board(device)},
      {"threads", device.threads},
      {"time", device.time},
      {"operator", configuration_.function_name},
      {"precision", options_.precision},
      {"parts", options_.parts},
      {"part", options_.part},
      {"samples", options_.repeated.empty() ? outcome_.samples : 0},
      {"samples_of_sweep", Sweep(configuration_.swept).size()},
      {"budget", options_.budget ? nlohmann::json(*options_.budget) : nlohmann::json()},
      {"node", node_name()},
      {"configuration", configuration_.file},
      {"definition", definition()},
      {"began", clock_.local_time(clock_.now_ns())}};
  if (devices_.size() > 1) run["boards"] = boards();
  if (options_.requeued != nullptr)
    run["slurm"] = {{"job", options_.requeued->job().id()},
                    {"restarts", options_.requeued->job().restarts()}};
  const auto roofs = options_.roofs_of(device.name);
  run["roof"] = roofs ? to_json(*roofs) : nlohmann::json("unknown: no time was checked against it");
  files_.begin_run(run);
}

/// Returns the time in s since the latest row of the GPU, or since the part was begun.
double SweepPart::since_last_row_of(const std::string& gpu) {
  int64_t& last_ns = last_row_ns_.emplace(gpu, began_ns_).first->second;
  const int64_t before_ns = std::exchange(last_ns, clock_.now_ns());
  return static_cast<double>(last_ns - before_ns) * 1e-9;
}

void SweepPart::take_row(const SampleRow& taken) {
  SampleRow row = taken;
  if (!row.gpu.empty()) row.gpu_s = since_last_row_of(row.gpu);
  if (options_.replay) note_missing_values(row.answer);
  write(row);
  log_->count_sample();
  ++outcome_.counts[status_name(row.answer.status)];
  note_status(row.answer);
  progress_->update(static_cast<double>(++done_) / static_cast<double>(to_do_));
}

void SweepPart::take_timed(const SampleRow& row) {
  write(row);
}

void SweepPart::write(const SampleRow& row) {
  files_.add(row);
  if (options_.requeued != nullptr) options_.requeued->count_row();
}

void SweepPart::note_missing_values(const SampleAnswer& answer) {
  for (const auto& [name, direction] : answer.directions) {
    if (!direction.replay) continue;
    if (!direction.replay->graph_missing.empty()) {
      outcome_.why_not_replayed = direction.replay->graph_missing;
      ++outcome_.not_replayed;
      return;
    }
    if (!direction.replay->energy_missing.empty()) outcome_.energy_missing = direction.replay->energy_missing;
  }
}

void SweepPart::take_meters(const std::string& gpu, const std::vector<nlohmann::json>& meters,
                            const std::string& lack) {
  nlohmann::ordered_json with{{"meters", meters}, {"reading_s", options_.replay->reading.span_s}};
  if (!gpu.empty()) with["gpu"] = gpu;
  if (written_meters_[gpu] != with) files_.begin_run(written_meters_[gpu] = with);
  if (!lack.empty()) outcome_.energy_missing = lack;
}

void SweepPart::take_note(const std::string& note) {
  if (warned_.insert(note).second) print_warning("{}", note);
}

SweepOutcome SweepPart::finish() {
  progress_->finish();
  log_->finish();
  outcome_.name = name_;
  outcome_.csv = files_.csv();
  outcome_.jsonl = files_.jsonl();
  outcome_.has_roofs = options_.roofs_of(devices_.front().name).has_value();
  return outcome_;
}

}  // namespace kjoule
