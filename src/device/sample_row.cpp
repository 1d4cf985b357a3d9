#include "device/sample_row.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/json_fields.hpp"
#include "base/json/optional_json.hpp"
#include "base/json/parse_json.hpp"
#include "base/json/whole_number.hpp"
#include "base/numbers/measured_range.hpp"
#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

/// Passes are precise if the half-width of the median's interval is at most this share of the median.
constexpr double kPrecise = 0.01;
/// Fewest passes that can be precise if their total duration is at least kLong_us.
constexpr std::ptrdiff_t kFewestLongPasses = 3;
constexpr double kLong_us = 5000;

/// Returns how many of the smallest values, and as many of the largest, can be left out so that the true
/// median still lies between the remaining ones with a probability of 95 %. The number of values below the
/// median has the binomial distribution with p = 1/2.
size_t cut_off(size_t values) {
  double probability = std::pow(0.5, static_cast<double>(values)), below = 0;
  size_t cut = 0;
  for (size_t k = 0; k < values / 2; ++k) {
    below += probability;
    if (2 * below > 0.05) break;
    cut = k;
    probability *= static_cast<double>(values - k) / static_cast<double>(k + 1);
  }
  return cut;
}

nlohmann::ordered_json direction_json(const SampledDirection& direction) {
  const MedianOfPasses median = median_of_passes(direction.passes_us);
  nlohmann::ordered_json json{{"median_us", median.value},
                              {"interval_us", {median.low, median.high}},
                              {"passes_us", direction.passes_us},
                              {"flops", or_null(direction.flops)},
                              {"least_bytes", or_null(direction.least_bytes)}};
  if (direction.replay) add_replayed(*direction.replay, json);
  return json;
}

}  // namespace

MedianOfPasses median_of_passes(std::vector<double> passes) {
  if (passes.empty()) throw Error("a sample has no timed pass", kBugRemedy);
  std::sort(passes.begin(), passes.end());
  if (passes.size() > 1 && std::ssize(passes) < kFewestPasses) {
    const double half_width = mean_interval(passes).half_width;
    return {median(passes), median(passes) - half_width, median(passes) + half_width};
  }
  const size_t cut = cut_off(passes.size());
  return {median(passes), passes[cut], passes[passes.size() - 1 - cut]};
}

bool is_precise(const std::vector<double>& passes) {
  const bool long_ones = std::accumulate(passes.begin(), passes.end(), 0.0) >= kLong_us;
  if (std::ssize(passes) < (long_ones ? kFewestLongPasses : kFewestPasses)) return false;
  const MedianOfPasses median = median_of_passes(passes);
  return median.high - median.low <= 2 * kPrecise * median.value;
}

nlohmann::ordered_json to_json(const SampleRow& row, const std::vector<std::string>& parameters) {
  nlohmann::ordered_json json{{"sample", row.sample}};
  for (size_t i = 0; i < parameters.size(); ++i) json["shape"][parameters[i]] = row.shape[i];
  json["status"] = status_name(row.answer.status);
  if (!row.answer.why.empty()) json["why"] = row.answer.why;
  for (const auto& [name, direction] : row.answer.directions)
    json["directions"][name] = direction_json(direction);
  json["peak_memory_bytes"] = or_null(row.answer.peak_memory_bytes);
  json["kernels"] = or_null(row.answer.kernels);
  if (!row.gpu.empty()) json["gpu"] = row.gpu;
  if (row.gpu_s) json["gpu_s"] = *row.gpu_s;
  return json;
}

namespace {

constexpr size_t kMostSamples = 1'000'000'000;

/// Throws Error if a direction's numbers cannot have been measured. `stated` is its object in the JSONL.
void check_direction(const SampledDirection& direction, const nlohmann::json& stated) {
  constexpr MeasuredRange kPass = kWorkTime.in("us", 1e6);
  constexpr double kRounding = 1e-6;
  if (direction.passes_us.empty()) throw Error("passes_us is empty");
  for (const double pass_us : direction.passes_us) check_measured("passes_us", pass_us, kPass);
  const double median_us = median(direction.passes_us);
  const auto found = stated.find("median_us");
  if (found == stated.end()) return;
  if (!found->is_number() || !(std::abs(found->get<double>() - median_us) <= kRounding * median_us))
    throw Error(fmt::format("median_us is not {:g} us, the median of passes_us", median_us));
}

void check_replay(const ReplayedDirection& replay) {
  if (replay.graph_us) check_measured("graph_us", *replay.graph_us, kWorkTime.in("us", 1e6));
  if (replay.watts) check_measured("watts", std::abs(*replay.watts), kPowerRange);
  if (replay.energy_j) check_measured("energy_j", std::abs(*replay.energy_j), kEnergyRange);
}

/// Reads the number of samples that the description of a run states. Throws Error if it is out of range.
size_t read_sample_count(const nlohmann::json& run, const char* field) {
  const nlohmann::json count = run.value(field, nlohmann::json(0U));
  if (!count.is_number_unsigned() || count.get<size_t>() > kMostSamples)
    throw Error(fmt::format("{} is not a whole number from 0 to {}", field, kMostSamples));
  return count.get<size_t>();
}

}  // namespace

SampleRow sample_row(const nlohmann::json& json, const std::vector<std::string>& parameters) {
  SampleRow row;
  row.sample = whole_number<size_t>(json, "sample");
  for (const std::string& name : parameters) {
    row.shape.push_back(whole_number<int64_t>(json.at("shape"), name));
    if (row.shape.back() < 0) throw Error(fmt::format("{} is {}, below 0", name, row.shape.back()));
  }
  row.answer = read_fields<SampleAnswer>(json, "row");
  row.gpu = json.value("gpu", "");
  row.gpu_s = get_optional<double>(json, "gpu_s");
  for (auto& [name, direction] : row.answer.directions) {
    const nlohmann::json& stated = json.at("directions").at(name);
    check_direction(direction, stated);
    direction.replay = replayed_direction(stated);
    if (direction.replay) check_replay(*direction.replay);
  }
  return row;
}

std::string difference(const nlohmann::json& definition, const nlohmann::json& wanted) {
  if (definition.is_null() || wanted.is_null()) return {};
  std::vector<std::string> found;
  std::set<std::string> names;
  for (const nlohmann::json* one : {&definition, &wanted})
    for (const auto& [name, value] : one->items()) names.insert(name);
  for (const std::string& name : names) {
    const auto there = definition.value(name, nlohmann::json()), here = wanted.value(name, nlohmann::json());
    if (there != here)
      found.push_back(fmt::format("{} is {}, but should be {}", name, there.dump(), here.dump()));
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

SampledRun read_sample_rows(const std::filesystem::path& jsonl, const std::vector<std::string>& parameters,
                            const std::function<void(SampleRow)>& take,
                            const std::function<void(const nlohmann::json& run)>& take_run) {
  size_t number = 0, in_sweep = 0;
  SampledRun run;
  read_whole_lines(jsonl, [&](std::string_view line, bool ended) {
    ++number;
    if (!ended) return;
    std::optional<SampleRow> row;
    const auto json = parse_json(line, fmt::format("{}:{}", jsonl.string(), number));
    const auto refuse = [&](const std::string& why) {
      throw Error(
          fmt::format("{}:{}: this line is not a sample that kjoule wrote{}", jsonl.string(), number, why),
          "delete this line");
    };
    try {
      if (!json.contains("run")) {
        row = sample_row(json, parameters);
        if (in_sweep > 0 && row->sample > in_sweep)
          throw Error(fmt::format("sample is {}, but the sweep has {} samples", row->sample, in_sweep));
      } else if (!json.at("run").is_object()) {
        throw Error("run is not an object");
      } else if (json.at("run").contains("definition")) {
        const nlohmann::json& definition = json.at("run").at("definition");
        if (!definition.is_object() && !definition.is_null()) throw Error("definition is not an object");
        run = {definition, std::max(run.samples, read_sample_count(json.at("run"), "samples"))};
        in_sweep = std::max(in_sweep, read_sample_count(json.at("run"), "samples_of_sweep"));
      }
      if (take_run && json.contains("run")) take_run(json.at("run"));
    } catch (const Error& error) {
      refuse(fmt::format(": {}", error.what()));
    } catch (const std::exception&) {
      refuse("");
    }
    if (row) take(std::move(*row));
  });
  return run;
}

std::string to_csv(const SampleRow& row) {
  std::vector<std::string> cells;
  for (const int64_t number : row.shape) cells.push_back(std::to_string(number));
  for (const char* direction : {"forward", "backward", "step"}) {
    const auto found = row.answer.directions.find(direction);
    if (found != row.answer.directions.end())
      cells.push_back(fmt::format("{:.3f}", median_of_passes(found->second.passes_us).value));
  }
  return fmt::format("{}", fmt::join(cells, ","));
}

}  // namespace kjoule
