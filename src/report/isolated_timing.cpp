#include "report/isolated_timing.hpp"

#include <fmt/format.h>

#include <map>

#include "base/text/microseconds.hpp"
#include "recording/tier_text.hpp"
#include "report/kernel_names.hpp"
#include "report/microseconds.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

Json as_interval_us(const Interval& interval) {
  return {us(interval.value - interval.half_width), us(interval.value + interval.half_width)};
}

/// Returns the fields of work of which each run consists of `launches` launches.
Json work_json(const MeterWork& work, int64_t launches = 1) {
  return {{"benchmark_runs", work.runs * launches},
          {"single_time_us", us(work.each_s) / static_cast<double>(launches)},
          {"start_timestamp", work.start_timestamp},
          {"end_timestamp", work.end_timestamp}};
}

Json works_json(const std::vector<MeterWork>& works) {
  Json list = Json::array();
  for (const MeterWork& work : works) list.push_back(work_json(work));
  return list;
}

/// The blocks that were repeated for a power meter, as JSON: the whole, kernels, and groups of kernels.
class MeterBlocksJson {
 public:
  MeterBlocksJson(const std::vector<KernelResult>& kernels, const RowList& rows)
      : blocks_(rows.all<MeterBlock>()), block_of_(kernels.size()), group_of_(kernels.size()) {
    for (const MeterBlock& block : blocks_) {
      if (block.kernels.size() > 1)
        add_group(block, kernels);
      else if (!block.is_whole())
        block_of_.at(block.kernels.front()) = &block;
      else if (block.error.empty())
        whole_ = work_json(block.with.front());
    }
  }
  /// Replaces the times of a kernel by those of its block, or adds the name of its group.
  void complete(size_t kernel, int64_t count, Json& json) const {
    if (!group_of_[kernel].empty()) json["group"] = group_of_[kernel];
    if (block_of_[kernel] == nullptr) return;
    if (const std::string& error = block_of_[kernel]->error; !error.empty()) {
      json["block_error"] = error;
      return;
    }
    const MeterWork& work = block_of_[kernel]->with.front();
    json.update(work_json(work, count));
    json["total_time_us"] = us(work.each_s);
  }
  const Json& whole() const { return whole_; }
  const Json& groups() const { return groups_; }

 private:
  static Json group_json(const MeterBlock& block) {
    if (!block.error.empty()) return {{"error", block.error}};
    if (!block.is_difference()) return work_json(block.with.front());
    return {{"with", works_json(block.with)}, {"without", works_json(block.without)}};
  }

  void add_group(const MeterBlock& block, const std::vector<KernelResult>& kernels) {
    const Tier tier = kernels.at(block.kernels.front()).tier;
    const std::string name =
        fmt::format("{} smaller kernels of tier {}", block.kernels.size(), tier_text(tier));
    Json json{{"name", name}, {"tier", tier_json(tier)}};
    json.update(group_json(block));
    groups_.push_back(std::move(json));
    for (const uint32_t kernel : block.kernels) group_of_.at(kernel) = name;
  }

  std::vector<MeterBlock> blocks_;
  std::vector<const MeterBlock*> block_of_;
  std::vector<std::string> group_of_;  ///< by kernel; empty if it belongs to none
  Json whole_;
  Json groups_ = Json::array();
};

/// Returns the times in context, s, by signature.
std::map<std::string, Interval> times_in_context(const Comparison* comparison) {
  std::map<std::string, Interval> times;
  if (comparison != nullptr)
    for (const KernelResult& kernel : comparison->kernels)
      if (kernel.in_context_s) times.emplace(kernel.signature, *kernel.in_context_s);
  return times;
}

}  // namespace

Json isolated_kernels_timing(const nlohmann::json& run, const std::vector<KernelResult>& kernels,
                             const RowList& rows, const Comparison* comparison) {
  const KernelNames names = names_of(kernels);
  const MeterBlocksJson for_meter(kernels, rows);
  const auto in_context = times_in_context(comparison);
  Json list = Json::array();
  double total_us = 0;
  for (size_t k = 0; k < kernels.size(); ++k) {
    const KernelResult& kernel = kernels[k];
    Json json{{"name", kernel.name},
              {"short_name", names.short_name(kernel.name)},
              {"tier", tier_json(kernel.tier)},
              {"invocation_count", kernel.count}};
    if (kernel.isolated_s) {
      json["benchmark_runs"] = kernel.isolated_runs;
      json["single_time_us"] = us(*kernel.isolated_s);
      json["total_time_us"] = us(*kernel.isolated_s * static_cast<double>(kernel.count));
      json["start_timestamp"] = kernel.start_timestamp;
      json["end_timestamp"] = kernel.end_timestamp;
      for_meter.complete(k, static_cast<int64_t>(kernel.count), json);
      total_us += json["total_time_us"].get<double>();
    }
    if (const auto found = in_context.find(kernel.signature); found != in_context.end()) {
      json["total_time_in_context_us"] = us(found->second.value);
      json["total_time_in_context_interval_us"] = as_interval_us(found->second);
    }
    json["signature"] = kernel.signature;
    if (!kernel.error.empty()) json["error"] = kernel.error;
    list.push_back(std::move(json));
  }
  Json timing{{"isolated_sum_us", total_us}, {"kernels", std::move(list)}};
  timing["groups"] = for_meter.groups();
  timing["whole"] = for_meter.whole();
  timing["in_context"] = Json();
  timing["load_pattern"] = Json();
  timing["power_meter"] = Json();
  if (comparison != nullptr)
    timing["in_context"] = {{"sum_us", us(comparison->times.sum_s.value)},
                            {"sum_interval_us", as_interval_us(comparison->times.sum_s)},
                            {"whole_us", us(comparison->times.whole_s.value)},
                            {"whole_interval_us", as_interval_us(comparison->times.whole_s)}};
  timing["run"] = run;
  return timing;
}

Json load_pattern_json(const PlayedLoad& played) {
  Json edges = Json::array();
  for (const PlayedEdge& edge : played.edges)
    edges.push_back({{"timestamp", edge.timestamp}, {"begins", edge.begins}});
  return {{"start_timestamp", played.start_timestamp},
          {"end_timestamp", played.end_timestamp},
          {"edges", std::move(edges)}};
}

}  // namespace kjoule
