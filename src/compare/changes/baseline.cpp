#include "compare/changes/baseline.hpp"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/dump_json.hpp"
#include "base/numbers/measured_range.hpp"
#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

/// Number of bytes at the beginning of a baseline's file that contain its format.
constexpr size_t kHeadBytes = 256;
constexpr const char* kMeasureAgain = "create the baseline again with kjoule baseline DIR -o FILE";

/// Returns the signature without the name that it begins with.
std::string form_of(const std::string& name, const std::string& signature) {
  if (!signature.starts_with(name)) return signature;
  const size_t begin = signature.find_first_not_of(' ', name.size());
  return begin == std::string::npos ? "" : signature.substr(begin);
}

std::optional<Interval> interval_of(const std::optional<EnergyResult>& energy,
                                    Interval EnergyEstimate::*value) {
  return energy && energy->missing.empty() ? std::optional(energy->estimate.*value) : std::nullopt;
}

std::vector<BaselineKernel> kernels_of(const KernelTable& table, const Comparison& comparison) {
  std::unordered_map<std::string, const KernelResult*> results;
  for (const KernelResult& kernel : comparison.kernels) results.emplace(kernel.signature, &kernel);
  std::vector<BaselineKernel> kernels;
  for (const Kernel& kernel : table.kernels) {
    BaselineKernel& one = kernels.emplace_back();
    one.name = kernel.name;
    one.form = form_of(kernel.name, kernel.signature);
    one.count = kernel.places.size();
    const auto result = results.find(kernel.signature);
    if (result == results.end()) continue;
    one.time_s = result->second->in_context_s;
    if (result->second->energy) one.energy_j = result->second->energy->joules;
  }
  return kernels;
}

void check_part(const std::string& what, const std::optional<Interval>& time_s,
                const std::optional<Interval>& energy_j) {
  check_measured(what + ": time_s", time_s, kPartTime);
  check_measured(what + ": energy_j", energy_j, kEnergyRange);
}

/// Checks the time of an iteration, which is above 0 whatever its interval is.
void check_iteration_time(const std::string& what, const std::optional<Interval>& time_s) {
  check_measured(what, time_s, kWorkTime);
  if (time_s) check_measured(what, time_s->value, kWorkTime);
}

void check_ranges(const BaselineIteration& iteration) {
  check_iteration_time("whole_s", iteration.whole_s);
  check_iteration_time("sum_s", iteration.sum_s);
  check_iteration_time("program_s", iteration.program_s);
  for (const double start_s : iteration.other_starts_s) check_measured("other_starts_s", start_s, kWorkTime);
  check_measured("whole_j", iteration.whole_j, kEnergyRange);
  check_measured("sum_j", iteration.sum_j, kEnergyRange);
  check_measured("whole_w", iteration.whole_w, kPowerRange);
  for (size_t k = 0; k < iteration.kernels.size(); ++k)
    check_part(fmt::format("kernel {}", k), iteration.kernels[k].time_s, iteration.kernels[k].energy_j);
  for (const BaselinePart& range : iteration.ranges)
    check_part("range " + range.name, range.time_s, range.energy_j);
}

void check(const BaselineIteration& iteration) {
  check_ranges(iteration);
  std::vector<uint64_t> counts(iteration.kernels.size());
  for (const uint32_t kernel : iteration.launches) {
    if (kernel >= counts.size())
      throw Error(fmt::format("\"launches\" contains the kernel number {}, but there are only {} kernels",
                              kernel, counts.size()));
    ++counts[kernel];
  }
  for (size_t k = 0; k < counts.size(); ++k)
    if (counts[k] != iteration.kernels[k].count || counts[k] == 0)
      throw Error(fmt::format("kernel {} has the count {}, but occurs {} times in \"launches\"", k,
                              iteration.kernels[k].count, counts[k]));
}

/// Returns the fields of a baseline's file, except iterations and layers.
nlohmann::json head_of(const Baseline& baseline) {
  return {{"format", Baseline::kFormat}, {"version", Baseline::kVersion},
          {"title", baseline.title},     {"measured", baseline.measured},
          {"kjoule", baseline.kjoule},   {"device", write_fields(baseline.device)}};
}

/// Returns a JSON array with a line for each element.
std::string lines_of(const nlohmann::json& list) {
  std::string text = "[";
  for (const nlohmann::json& element : list)
    text += (text.size() > 1 ? ",\n   " : "\n   ") + dump_json(element);
  return text + (list.empty() ? "]" : "\n  ]");
}

/// Returns a JSON object with a line for each field, and for each element of its lists.
std::string lines_of_fields(const nlohmann::json& object) {
  std::string text = "{";
  for (const auto& [key, value] : object.items())
    text += fmt::format("{}\n  {}: {}", text.size() > 1 ? "," : "", quote_json(key),
                        value.is_array() ? lines_of(value) : dump_json(value));
  return text + "\n }";
}

template <class T>
std::vector<T> read_list_of(const nlohmann::json& json, const char* key) {
  std::vector<T> list;
  const nlohmann::json values = json.value(key, nlohmann::json::array());
  if (!values.is_array()) throw Error(std::string(key) + ": not a list");
  for (size_t i = 0; i < values.size(); ++i)
    list.push_back(read_fields<T>(values[i], fmt::format("{}[{}]", key, i)));
  return list;
}

Baseline parse_baseline(const nlohmann::json& json) {
  Baseline baseline;
  FieldReader head(json, "baseline");
  head("title", baseline.title);
  head("measured", baseline.measured);
  head("kjoule", baseline.kjoule);
  head("device", baseline.device);
  baseline.iterations = read_list_of<BaselineIteration>(json, "iterations");
  baseline.layers = read_list_of<BaselinePart>(json, "layers");
  if (baseline.iterations.empty() && baseline.layers.empty()) throw Error("contains no iteration");
  for (const BaselineIteration& iteration : baseline.iterations) check(iteration);
  for (const BaselinePart& layer : baseline.layers)
    check_part("layer " + layer.name, layer.time_s, layer.energy_j);
  return baseline;
}

}  // namespace

std::string launch_order_text(const std::vector<uint32_t>& launches) {
  return fmt::format("{}", fmt::join(launches, " "));
}

std::vector<uint32_t> parse_launch_order(const std::string& text) {
  std::vector<uint32_t> launches;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    uint32_t kernel = 0;
    const auto [next, error] = std::from_chars(at, end, kernel);
    if (error != std::errc() || (next != end && *next != ' '))
      throw Error("launches: not a list of numbers, separated by spaces");
    launches.push_back(kernel);
    at = next == end ? end : next + 1;
  }
  return launches;
}

BaselineIteration baseline_iteration(const Recording& recording, const Comparison& comparison) {
  const KernelTable table = kernel_table(recording);
  BaselineIteration iteration;
  if (comparison.part) iteration.iterations = comparison.part->iterations;
  iteration.verdict = to_string(comparison.judgement.verdict);
  iteration.whole_s = comparison.times.whole_s;
  iteration.sum_s = comparison.times.sum_s;
  if (const std::vector<double> own_s = comparison.own_iterations_s(); !own_s.empty())
    iteration.program_s = mean_interval(own_s);
  iteration.whole_j = interval_of(comparison.energy, &EnergyEstimate::whole_j);
  iteration.whole_w = interval_of(comparison.energy, &EnergyEstimate::whole_w);
  iteration.sum_j = interval_of(comparison.energy, &EnergyEstimate::sum_j);
  for (const OtherStart& start : comparison.other_starts)
    if (start.error.empty()) iteration.other_starts_s.push_back(start.whole_s);
  iteration.kernels = kernels_of(table, comparison);
  iteration.launches = table.kernel_of;
  std::erase(iteration.launches, KernelTable::kNone);
  for (const RangeResult& range : comparison.ranges)
    iteration.ranges.push_back(
        {fmt::format("{}", fmt::join(range.path, "/")), range.launches, range.time_s, range.energy_j});
  return iteration;
}

Baseline describe_baseline(const nlohmann::json& run, const ProgramIterations& program_iterations) {
  Baseline baseline;
  baseline.title = run.value("title", "");
  baseline.kjoule = run.value("kjoule", "");
  baseline.measured = program_iterations.start_timestamp;
  const nlohmann::json device = run.value("device", nlohmann::json::object());
  baseline.device = {device.value("name", ""), device.value("kind", ""), device.value("uuid", "")};
  return baseline;
}

bool is_baseline(const std::filesystem::path& file) {
  return read_beginning(file, kHeadBytes).find(fmt::format("\"format\": \"{}\"", Baseline::kFormat)) !=
         std::string::npos;
}

size_t write_baseline(const std::filesystem::path& file, const Baseline& baseline) {
  std::string text = "{";
  nlohmann::json head = head_of(baseline);
  // The format comes first, so that the file is recognised by its beginning.
  text += fmt::format("\n \"format\": {}", dump_json(head.at("format")));
  head.erase("format");
  for (const auto& [key, value] : head.items())
    text += fmt::format(",\n {}: {}", quote_json(key), dump_json(value));
  text += ",\n \"iterations\": [";
  for (size_t i = 0; i < baseline.iterations.size(); ++i)
    text += (i > 0 ? ", " : "") + lines_of_fields(write_fields(baseline.iterations[i]));
  text += "]";
  if (!baseline.layers.empty()) {
    auto layers = nlohmann::json::array();
    for (const BaselinePart& layer : baseline.layers) layers.push_back(write_fields(layer));
    text += ",\n \"layers\": " + lines_of(layers);
  }
  text += "\n}\n";
  write_named(file, text);
  return text.size();
}

Baseline read_baseline(const std::filesystem::path& file) {
  const nlohmann::json json = read_json(file);
  const nlohmann::json none;
  const auto field = [&](const char* key) -> const nlohmann::json& {
    return json.is_object() && json.contains(key) ? json.at(key) : none;
  };
  if (field("format") != Baseline::kFormat)
    throw Error(file.string() + ": neither a results folder nor a baseline",
                "give a results folder, or a file of kjoule baseline DIR -o FILE");
  if (field("version") != Baseline::kVersion)
    throw Error(fmt::format("{}: is a baseline of version {}, but this kjoule reads version {}",
                            file.string(), dump_json(field("version")), Baseline::kVersion),
                kMeasureAgain);
  try {
    return parse_baseline(json);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file.string(), error.line()), kMeasureAgain);
  }
}

}  // namespace kjoule
