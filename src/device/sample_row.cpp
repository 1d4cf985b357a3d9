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
  return json;
}

SampleRow sample_row(const nlohmann::json& json, const std::vector<std::string>& parameters) {
  SampleRow row;
  row.sample = json.at("sample").get<size_t>();
  for (const std::string& name : parameters) row.shape.push_back(json.at("shape").at(name).get<int64_t>());
  row.answer = read_fields<SampleAnswer>(json, "row");
  for (auto& [name, direction] : row.answer.directions)
    direction.replay = replayed_direction(json.at("directions").at(name));
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
  size_t number = 0;
  SampledRun run;
  read_whole_lines(jsonl, [&](std::string_view line, bool ended) {
    ++number;
    if (!ended) return;
    std::optional<SampleRow> row;
    const auto json = parse_json(line, fmt::format("{}:{}", jsonl.string(), number));
    try {
      if (!json.contains("run"))
        row = sample_row(json, parameters);
      else if (json.at("run").contains("definition"))
        run = {json.at("run").at("definition"),
               std::max(run.samples, json.at("run").at("samples").get<size_t>())};
      if (take_run && json.contains("run")) take_run(json.at("run"));
    } catch (const std::exception&) {
      throw Error(fmt::format("{}:{}: this line is not a sample that kjoule wrote", jsonl.string(), number),
                  "delete this line");
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
