#include "sampling/sweep_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "base/error.hpp"
#include "base/files/csv_rows.hpp"
#include "base/files/files.hpp"
#include "base/numbers/statistics.hpp"
#include "base/text/parse_number.hpp"
#include "device/sample_row.hpp"
#include "sampling/sample_name.hpp"
#include "sampling/time_column.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

/// The latest row of a sample: where it was measured, its status, and its time.
struct LatestSample {
  std::string node, gpu;  ///< `gpu` is empty if the row names none
  bool is_error = false;
  SampleShape shape;
  std::optional<double> time_us;  ///< sum of the medians of all directions; nothing if it was not measured
};

/// Samples by their number in the sweep.
using LatestSamples = std::map<size_t, LatestSample>;

/// The rows of one GPU, and the time that it needed for them.
struct GpuWork {
  size_t rows = 0;
  double seconds = 0;
};

/// What the files of one part state.
struct PartStatus {
  size_t samples = 0, done = 0;
  size_t samples_of_sweep = 0;          ///< number of shapes of the sweep, or of its budget; 0 if not known
  std::map<std::string, GpuWork> gpus;  ///< in the latest run, by UUID
  std::string node = "unknown";         ///< node of the latest run
  std::optional<double> s_per_sample;   ///< in the latest run
};

std::optional<double> time_of(const SampleAnswer& answer) {
  if (answer.status != SampleStatus::measured || answer.directions.empty()) return {};
  double sum = 0;
  for (const auto& [name, direction] : answer.directions) sum += median(direction.passes_us);
  return sum;
}

/// Returns the names of the shape's numbers: the columns of the CSV before the times.
std::vector<std::string> parameters_of(const fs::path& csv) {
  constexpr size_t kLongestHead = 4096;
  const std::string head = read_beginning(csv, kLongestHead);
  std::vector<std::string> names;
  CsvRows(head, csv.string()).next(names);
  std::erase_if(names, is_time_column);
  return names;
}

/// Returns the speed in the last line of a part's log, in seconds per sample.
std::optional<double> speed_in_log(const fs::path& log) {
  if (!fs::exists(log)) return {};
  std::string last;
  read_lines(log, [&](std::string_view line, bool ended) {
    if (ended) last = line;
  });
  static const std::regex form("Speed: ([0-9.]{1,20})s/sample");
  std::smatch found;
  if (!std::regex_search(last, found, form)) return {};
  return parse_number(found[1].str());
}

/// Returns the number of samples after which the sweep of a run is complete; nothing for a run that only
/// repeats listed shapes.
std::optional<size_t> samples_of_sweep_in(const nlohmann::json& run) {
  const auto samples = run.value("samples", size_t{0});
  if (run.contains("samples") && samples == 0) return {};
  if (const auto budget = run.find("budget"); budget != run.end() && !budget->is_null()) return samples;
  return run.value("samples_of_sweep", size_t{0});
}

/// Reads the files of a part, and adds its samples to `sweep` and `all`. Throws Error for a damaged line.
PartStatus read_part(const fs::path& folder, const SampleName& name, SweepStatus& sweep, LatestSamples& all) {
  PartStatus part;
  const fs::path jsonl = folder / "sampling_data" / (name.text() + ".jsonl");
  fs::path csv = jsonl;
  LatestSamples ours;
  const SampledRun run = read_sample_rows(
      jsonl, parameters_of(csv.replace_extension(".csv")),
      [&](const SampleRow& row) {
        if (row.sample > 0)
          ours[row.sample] = {part.node, row.gpu, row.answer.status == SampleStatus::error, row.shape,
                              time_of(row.answer)};
        if (row.gpu_s)
          part.gpus[row.gpu] = {part.gpus[row.gpu].rows + 1, part.gpus[row.gpu].seconds + *row.gpu_s};
      },
      [&](const nlohmann::json& described) {
        if (!described.contains("definition")) return;
        part.node = described.value("node", "unknown");
        part.gpus.clear();
        part.samples_of_sweep = samples_of_sweep_in(described).value_or(part.samples_of_sweep);
      });
  part.samples = run.samples;
  sweep.samples = std::max(sweep.samples, part.samples_of_sweep);
  part.s_per_sample = speed_in_log(folder / "sampling_log" / (name.text() + ".txt"));
  for (const auto& [number, sample] : ours) part.done += sample.is_error ? 0 : 1;
  sweep.done += part.done;
  sweep.failed += ours.size() - part.done;
  all.merge(ours);
  return part;
}

/// Returns whether the shapes differ only in their last number, so that their times can be compared.
bool are_neighbours(const SampleShape& one, const SampleShape& other) {
  return !one.empty() && one.size() == other.size() && std::equal(one.begin(), one.end() - 1, other.begin());
}

/// Returns the time of a neighbour of the sample; nothing if there is none, or if it was not measured.
std::optional<double> neighbour_us(const LatestSamples& samples, const SampleShape& shape, size_t number) {
  const auto found = samples.find(number);
  if (found == samples.end() || !are_neighbours(shape, found->second.shape)) return {};
  return found->second.time_us;
}

/// Adds the samples to the places where they were measured, which the member `place` names.
void add_places(const LatestSamples& samples, std::string LatestSample::*place,
                std::map<std::string, PlaceStatus>& places) {
  std::map<std::string, std::vector<double>> ratios;
  for (const auto& [number, sample] : samples) {
    const std::string& name = sample.*place;
    if (name.empty()) continue;
    PlaceStatus& status = places[name];
    status.failed += sample.is_error ? 1 : 0;
    if (!sample.time_us) continue;
    ++status.measured;
    const auto before = neighbour_us(samples, sample.shape, number - 1);
    const auto after = neighbour_us(samples, sample.shape, number + 1);
    if (!before || !after) continue;
    ratios[name].push_back(*sample.time_us / std::sqrt(*before * *after));
    if (*sample.time_us > 2 * std::max(*before, *after) || *sample.time_us < std::min(*before, *after) / 2)
      ++status.outliers;
  }
  for (const auto& [name, all] : ratios) places[name].against_neighbours = median(all);
}

void add_speeds_of_gpus(const std::map<size_t, PartStatus>& parts, SweepStatus& sweep) {
  std::map<std::string, GpuWork> all;
  for (const auto& [number, part] : parts)
    for (const auto& [gpu, work] : part.gpus)
      all[gpu] = {all[gpu].rows + work.rows, all[gpu].seconds + work.seconds};
  for (const auto& [gpu, work] : all)
    if (work.seconds > 0) sweep.gpus[gpu].samples_per_s = static_cast<double>(work.rows) / work.seconds;
}

void add_speeds(const std::map<size_t, PartStatus>& parts, SweepStatus& sweep) {
  double longest_s = 0;
  bool all_known = sweep.not_begun.empty();
  for (const auto& [number, part] : parts) {
    if (part.s_per_sample && *part.s_per_sample > 0) {
      std::optional<double>& speed = sweep.nodes[part.node].samples_per_s;
      speed = speed.value_or(0) + 1 / *part.s_per_sample;
    }
    const size_t left = part.samples - std::min(part.samples, part.done);
    if (left > 0 && !part.s_per_sample) all_known = false;
    longest_s = std::max(longest_s, static_cast<double>(left) * part.s_per_sample.value_or(0));
  }
  if (all_known) sweep.remaining_s = longest_s;
}

SweepStatus status_of(const fs::path& folder, const std::vector<SampleName>& names) {
  SweepStatus sweep;
  sweep.sweep = names.front().sweep();
  sweep.parts = names.front().parts;
  LatestSamples samples;
  std::map<size_t, PartStatus> parts;
  size_t samples_of_parts = 0;
  for (const SampleName& name : names) {
    const auto [part, added] = parts.emplace(name.part, read_part(folder, name, sweep, samples));
    samples_of_parts += part->second.samples;
  }
  sweep.samples = std::max(sweep.samples, samples_of_parts);
  for (size_t part = 1; part <= sweep.parts; ++part)
    if (!parts.contains(part)) sweep.not_begun.push_back(part);
  add_places(samples, &LatestSample::node, sweep.nodes);
  add_places(samples, &LatestSample::gpu, sweep.gpus);
  add_speeds(parts, sweep);
  add_speeds_of_gpus(parts, sweep);
  return sweep;
}

}  // namespace

std::vector<SweepStatus> read_sweep_status(const fs::path& folder) {
  const fs::path data = folder / "sampling_data";
  std::map<std::pair<std::string, size_t>, std::vector<SampleName>> sweeps;
  std::error_code none;
  if (!fs::is_directory(folder, none))
    throw Error(folder.string() + (fs::exists(folder, none) ? ": is not a folder" : ": no such folder"),
                "name the folder of -o of kjoule sample");
  for (const auto& entry : fs::directory_iterator(data, none)) {
    if (entry.path().extension() != ".jsonl") continue;
    if (const auto name = parse_sample_name(entry.path().stem()))
      sweeps[{name->sweep(), name->parts}].push_back(*name);
  }
  if (sweeps.empty())
    throw Error(data.string() + ": contains no samples", "name the folder of -o of kjoule sample");
  std::vector<SweepStatus> all;
  for (const auto& [sweep, names] : sweeps) all.push_back(status_of(folder, names));
  return all;
}

}  // namespace kjoule
