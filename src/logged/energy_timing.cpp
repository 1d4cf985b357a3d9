#include "logged/energy_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/json_fields.hpp"
#include "base/numbers/measured_range.hpp"
#include "power/timestamp.hpp"
#include "recording/tier_text.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFullName = "full_model_timing.json";
constexpr const char* kIsolatedName = "isolated_kernels_timing.json";
/// Tolerance for the distance of two timestamps, which are truncated to milliseconds.
constexpr double kStampStep_s = 0.002;
/// Tolerance for the total time of all runs of a block. The time of one run is an estimate, so the total may
/// be 1 % longer than the distance of the block's timestamps.
constexpr double kRunsSlack = 1.01;

[[noreturn]] void refuse(const fs::path& path, const std::string& where, const std::string& what) {
  throw Error(fmt::format("{}: {}{}", path.string(), where, what),
              "give a timing file as kjoule full, isolated or compare write it (docs/reference/formats.md)");
}

std::string timestamp(const fs::path& path, const std::string& where, const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) refuse(path, where, std::string("no ") + key);
  const auto& text = found->get_ref<const std::string&>();
  if (moments_of(text).empty())
    refuse(path, where, fmt::format("{} \"{}\" is not a timestamp", key, text.substr(0, 40)));
  return text;
}

/// Calls `check`, and refuses the file with the cause if it throws Error.
template <class Check>
void refuse_if_failed(const fs::path& path, const std::string& where, const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    refuse(path, where, error.what());
  }
}

/// Returns a time above 0, in us; nullopt if the field is missing or null. Throws Error for other values.
std::optional<double> time_us(const fs::path& path, const std::string& where, const json& object,
                              const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return {};
  if (!found->is_number()) refuse(path, where, std::string(key) + " is not a number");
  const double us = found->get<double>();
  refuse_if_failed(path, where, [&] { check_measured(key, us, kWorkTime.in("us", 1e6)); });
  return us;
}

/// Returns a whole number above 0; nullopt if the field is missing or null. Throws Error for other values.
std::optional<int64_t> count(const fs::path& path, const std::string& where, const json& object,
                             const char* key) {
  constexpr double kMost = 1e12;
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return {};
  const double number = found->is_number() ? found->get<double>() : 0;
  if (number != std::floor(number) || !(number >= 1 && number <= kMost))
    refuse(path, where, fmt::format("{} is not a whole number from 1 to {:g}", key, kMost));
  return static_cast<int64_t>(number);
}

/// Throws Error unless two times that the file states for the same work agree.
void need_equal(const fs::path& path, const std::string& where, const char* stated, double stated_us,
                const std::string& what, double us) {
  constexpr double kRounding = 1e-3, kRounding_us = 0.01;  // other tools write few digits
  if (std::abs(stated_us - us) <= kRounding * us + kRounding_us) return;
  refuse(
      path, where,
      fmt::format("{} is {:g} us, but {} is {:g} us; one of them was changed", stated, stated_us, what, us));
}

/// Checks the timed iterations that the file of the whole lists, if it lists them, against their mean.
void check_listed_runs(const fs::path& path, const json& file) {
  const auto list = file.find("run_times_us");
  if (list == file.end() || !list->is_array() || list->empty()) return;
  double sum_us = 0;
  for (const json& run_us : *list) {
    if (!run_us.is_number()) refuse(path, "", "run_times_us contains a value that is not a number");
    refuse_if_failed(path, "",
                     [&] { check_measured("run_times_us", run_us.get<double>(), kWorkTime.in("us", 1e6)); });
    sum_us += run_us.get<double>();
  }
  const auto runs = static_cast<double>(list->size());
  if (const auto stated = count(path, "", file, "num_runs"); stated && static_cast<double>(*stated) != runs)
    refuse(path, "", fmt::format("num_runs is {}, but run_times_us has {} times", *stated, list->size()));
  if (const auto mean_us = time_us(path, "", file, "full_model_inference_us"))
    need_equal(path, "", "full_model_inference_us", *mean_us, "the mean of run_times_us", sum_us / runs);
}

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

TimedBlock read_block(const fs::path& path, const std::string& where, const json& object,
                      const char* runs_key, const char* each_us_key) {
  TimedBlock block;
  block.start_timestamp = timestamp(path, where, object, "start_timestamp");
  block.end_timestamp = timestamp(path, where, object, "end_timestamp");
  block.runs = count(path, where, object, runs_key);
  const auto each_us = time_us(path, where, object, each_us_key);
  if (each_us && block.runs) block.least_s = *each_us * 1e-6 * static_cast<double>(*block.runs);
  if (moments_of(block.end_timestamp).back() < moments_of(block.start_timestamp).front())
    refuse(path, where,
           fmt::format("ends ({}) before it starts ({})", block.end_timestamp, block.start_timestamp));
  return block;
}

/// Returns the value of the field `key`, with the half-width of the interval in the field `interval_key`,
/// which may be absent; nullopt if there is no value.
std::optional<Interval> interval_of(const fs::path& path, const std::string& where, const json& object,
                                    const char* key, const char* interval_key) {
  const auto value = object.find(key);
  if (value == object.end() || value->is_null()) return {};
  if (!value->is_number()) refuse(path, where, std::string(key) + " is not a number");
  Interval read{value->get<double>(), 0};
  Interval checked{read.value, std::numeric_limits<double>::infinity()};
  const auto found = object.find(interval_key);
  const auto is_number = [](const json& end) { return end.is_number(); };
  if (found != object.end() && found->is_array() && found->size() == 2 &&
      std::all_of(found->begin(), found->end(), is_number))
    read.half_width = checked.half_width = ((*found)[1].get<double>() - (*found)[0].get<double>()) / 2;
  refuse_if_failed(path, where, [&] { check_measured(key, checked, kPartTime.in("us", 1e6)); });
  return read;
}

TimedKernel read_kernel(const fs::path& path, size_t number, const json& object) {
  const std::string where = fmt::format("kernels/{}: ", number);
  if (!object.is_object()) refuse(path, where, "is not an object");
  TimedKernel timed;
  KernelEnergy& kernel = timed.kernel;
  kernel.name = text_of(object, "name");
  kernel.signature = text_of(object, "signature");
  if (kernel.name.empty()) refuse(path, where, "no name");
  const auto tier = object.find("tier");
  if (tier != object.end())
    kernel.tier =
        tier_from(tier->is_string() ? tier->get<std::string>() : tier->dump()).value_or(Tier::unknown);
  const auto invocations = count(path, where, object, "invocation_count");
  if (!invocations) refuse(path, where, "no invocation_count");
  kernel.count = *invocations;
  kernel.in_context_us =
      interval_of(path, where, object, "total_time_in_context_us", "total_time_in_context_interval_us");
  kernel.error = text_of(object, "error");
  if (kernel.error.empty() && !object.contains("start_timestamp"))
    kernel.error = "it was not replayed in isolation";
  if (!kernel.error.empty()) return timed;
  kernel.single_us = time_us(path, where, object, "single_time_us");
  if (const auto total_us = time_us(path, where, object, "total_time_us"); total_us && kernel.single_us)
    need_equal(path, where, "total_time_us", *total_us, "invocation_count x single_time_us",
               *kernel.single_us * static_cast<double>(kernel.count));
  kernel.group = text_of(object, "group");
  if (!kernel.group.empty() && !kernel.single_us) refuse(path, where, "no single_time_us");
  kernel.error = text_of(object, "block_error");
  if (!kernel.group.empty() || !kernel.error.empty()) return timed;
  timed.block = read_block(path, where, object, "benchmark_runs", "single_time_us");
  if (!timed.block->runs) refuse(path, where, "no benchmark_runs");
  return timed;
}

/// Returns the blocks of iterations in the group's list `key`.
std::vector<TimedBlock> read_iterations(const fs::path& path, const json& group, const char* key) {
  const std::string where = fmt::format("groups: {}: ", key);
  const auto list = group.find(key);
  if (list == group.end() || !list->is_array() || list->empty()) refuse(path, where, "no blocks");
  std::vector<TimedBlock> blocks;
  for (const json& block : *list) {
    if (!block.is_object()) refuse(path, where, "a block is not an object");
    blocks.push_back(read_block(path, where, block, "benchmark_runs", "single_time_us"));
    if (blocks.back().least_s <= 0) refuse(path, where, "no benchmark_runs or no single_time_us");
  }
  return blocks;
}

TimedGroup read_group(const fs::path& path, const json& group) {
  TimedGroup timed{.name = text_of(group, "name"), .error = text_of(group, "error")};
  if (!timed.error.empty()) return timed;
  if (!group.contains("without")) {
    timed.together = read_block(path, "groups: ", group, "benchmark_runs", "single_time_us");
    return timed;
  }
  timed.with = read_iterations(path, group, "with");
  timed.without = read_iterations(path, group, "without");
  return timed;
}

/// Reads the groups and the whole that were repeated for a power meter, and the times in context.
void take_blocks(const fs::path& path, const json& file, Timings& timings) {
  if (const auto groups = file.find("groups"); groups != file.end() && groups->is_array())
    for (const json& group : *groups) {
      if (!group.is_object()) refuse(path, "groups: ", "a group is not an object");
      const TimedGroup read = read_group(path, group);
      const auto is_it = [&](const TimedGroup& other) { return other.name == read.name; };
      if (std::ranges::any_of(timings.groups, is_it)) refuse(path, "groups: ", "two have the same name");
      timings.groups.push_back(read);
    }
  if (const auto whole = file.find("whole"); whole != file.end() && whole->is_object()) {
    timings.whole_block = read_block(path, "whole: ", *whole, "benchmark_runs", "single_time_us");
    timings.whole_block_us = time_us(path, "whole: ", *whole, "single_time_us").value_or(0);
  }
  const auto times = file.find("in_context");
  if (times == file.end() || !times->is_object()) return;
  const auto sum_us = interval_of(path, "in_context: ", *times, "sum_us", "sum_interval_us");
  const auto whole_us = interval_of(path, "in_context: ", *times, "whole_us", "whole_interval_us");
  if (sum_us && whole_us) timings.in_context = ContextTimes{*sum_us, *whole_us};
}

/// Reads the load pattern of a timing file, if it has one.
void take_pattern(const fs::path& path, const json& file, Timings& timings) {
  const auto found = file.find("load_pattern");
  if (found == file.end() || !found->is_object()) return;
  const std::string where = "load_pattern: ";
  const auto moment = [&](const json& object, const char* key) {
    return moments_of(timestamp(path, where, object, key)).front();
  };
  LoadPattern pattern{moment(*found, "start_timestamp"), moment(*found, "end_timestamp"), {}};
  const auto edges = found->find("edges");
  if (edges == found->end() || !edges->is_array()) refuse(path, where, "no edges");
  int64_t before_ns = pattern.begin_ns;
  for (const json& edge : *edges) {
    if (!edge.is_object()) refuse(path, where, "an edge is not an object");
    const auto begins = edge.find("begins");
    if (begins == edge.end() || !begins->is_boolean())
      refuse(path, where, "the field begins of an edge is neither true nor false");
    pattern.edges.push_back({moment(edge, "timestamp"), begins->get<bool>()});
    if (pattern.edges.back().unix_ns < before_ns) refuse(path, where, "its edges are not in order");
    before_ns = pattern.edges.back().unix_ns;
  }
  timings.pattern = std::move(pattern);
}

/// Reads the facts of the meter that was logged, if the run logged one.
void take_meter(const fs::path& path, const json& file, Timings& timings) {
  const auto found = file.find("power_meter");
  if (found == file.end() || found->is_null()) return;
  refuse_if_failed(path, "", [&] {
    timings.meter = read_fields<LoggedMeter>(*found, "power_meter");
    check_measured("power_meter.averaging_seconds", timings.meter->averaging_seconds, kPartTime);
    check_measured("power_meter.delay_seconds", timings.meter->delay_seconds, kPartTime);
    if (const auto accuracy = timings.meter->accuracy)
      check_measured("power_meter.accuracy", *accuracy, MeasuredRange{0, 1, "of the value"});
  });
}

void take_file(const fs::path& path, Timings& timings) {
  const json file = read_json(path);
  if (!file.is_object()) refuse(path, "", "is not a timing file");
  take_meter(path, file, timings);
  take_pattern(path, file, timings);
  const auto kernels = file.find("kernels");
  if (kernels != file.end() && kernels->is_array()) {
    if (!timings.kernels_path.empty()) refuse(path, "", "is a second file of isolated kernels");
    timings.kernels_path = path;
    for (size_t k = 0; k < kernels->size(); ++k)
      timings.kernels.push_back(read_kernel(path, k, (*kernels)[k]));
    if (timings.kernels.empty()) refuse(path, "", "contains no kernel");
    take_blocks(path, file, timings);
    for (const TimedKernel& timed : timings.kernels) {
      const std::string& group = timed.kernel.group;
      const auto is_it = [&](const TimedGroup& one) { return one.name == group; };
      if (!group.empty() && std::none_of(timings.groups.begin(), timings.groups.end(), is_it))
        refuse(path, "",
               "a kernel belongs to a group that the file does not contain: " + group.substr(0, 80));
    }
    return;
  }
  if (timings.full) refuse(path, "", "is a second timing of the whole");
  check_listed_runs(path, file);
  timings.full = read_block(path, "", file, "num_runs", "full_model_inference_us");
  timings.full_path = path;
}

}  // namespace

std::vector<TimedBlock> TimedGroup::blocks() const {
  std::vector<TimedBlock> all = with;
  all.insert(all.end(), without.begin(), without.end());
  if (together) all.push_back(*together);
  return all;
}

Timings read_timings(const std::vector<fs::path>& paths) {
  Timings timings;
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path)) {
      take_file(path, timings);
      continue;
    }
    const size_t before = timings.kernels.size() + (timings.full ? 1 : 0);
    for (const char* name : {kFullName, kIsolatedName})
      if (fs::exists(path / name)) take_file(path / name, timings);
    if (timings.kernels.size() + (timings.full ? 1 : 0) == before)
      throw Error(fmt::format("{}: contains neither {} nor {}", path.string(), kFullName, kIsolatedName),
                  "kjoule full, isolated and compare write them");
  }
  return timings;
}

std::vector<PowerWindow> windows_of(const TimedBlock& block) {
  std::vector<PowerWindow> possible;
  for (const int64_t begin : moments_of(block.start_timestamp))
    for (const int64_t end : moments_of(block.end_timestamp)) {
      const PowerWindow window{begin, end};
      if (end >= begin && kRunsSlack * window.seconds() + kStampStep_s >= block.least_s)
        possible.push_back(window);
    }
  return possible;
}

PowerWindow longest_window(const TimedBlock& block) {
  return {moments_of(block.start_timestamp).front(), moments_of(block.end_timestamp).back()};
}

}  // namespace kjoule
