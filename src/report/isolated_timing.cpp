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

/// Returns blocks of iterations that were repeated for a power meter, with or without a group of kernels.
Json iterations_json(const std::vector<MeterIterations>& blocks) {
  Json list = Json::array();
  for (const MeterIterations& block : blocks)
    list.push_back({{"benchmark_runs", block.runs},
                    {"single_time_us", us(block.each_s)},
                    {"start_timestamp", block.start_timestamp},
                    {"end_timestamp", block.end_timestamp}});
  return list;
}

/// Returns the fields of a block in which each run has `launches` launches.
Json block_json(const TimestampedMeterBlock& one, int64_t launches) {
  const double each_us = us(one.block.each_s) / static_cast<double>(launches);
  return {{"benchmark_runs", one.block.runs * launches},
          {"single_time_us", each_us},
          {"start_timestamp", one.start_timestamp},
          {"end_timestamp", one.end_timestamp}};
}

/// The blocks that were repeated for a power meter, as JSON: the whole, kernels, and groups of kernels.
class MeterBlocksJson {
 public:
  MeterBlocksJson(const std::vector<KernelResult>& kernels, const RowList& rows)
      : blocks_(rows.all<TimestampedMeterBlock>()), block_of_(kernels.size()), group_of_(kernels.size()) {
    for (const TimestampedMeterBlock& one : blocks_) {
      const MeterBlock& block = one.block;
      if (block.kernels.size() > 1)
        add_group(block.kernels, kernels, block.error.empty() ? block_json(one, 1) : failed(block.error));
      else if (!block.kernels.empty())
        block_of_.at(block.kernels.front()) = &one;
      else if (block.error.empty())
        whole_ = block_json(one, 1);
    }
    for (const auto& one : rows.all<TimestampedMeterDifference>()) {
      const MeterDifference& difference = one.block;
      add_group(difference.kernels, kernels,
                difference.error.empty() ? Json{{"with", iterations_json(difference.with)},
                                                {"without", iterations_json(difference.without)}}
                                         : failed(difference.error));
    }
  }
  /// Replaces the times of a kernel by those of its block, or adds the name of its group.
  void complete(size_t kernel, int64_t count, Json& json) const {
    if (!group_of_[kernel].empty()) json["group"] = group_of_[kernel];
    if (block_of_[kernel] == nullptr) return;
    if (const std::string& error = block_of_[kernel]->block.error; !error.empty()) {
      json["block_error"] = error;
      return;
    }
    json.update(block_json(*block_of_[kernel], count));
    json["total_time_us"] = us(block_of_[kernel]->block.each_s);
  }
  const Json& whole() const { return whole_; }
  const Json& groups() const { return groups_; }

 private:
  static Json failed(const std::string& error) { return {{"error", error}}; }

  void add_group(const std::vector<uint32_t>& members, const std::vector<KernelResult>& kernels,
                 const Json& measured) {
    const Tier tier = kernels.at(members.front()).tier;
    const std::string name = fmt::format("{} smaller kernels of tier {}", members.size(), tier_text(tier));
    Json json{{"name", name}, {"tier", tier_json(tier)}};
    json.update(measured);
    groups_.push_back(std::move(json));
    for (const uint32_t kernel : members) group_of_.at(kernel) = name;
  }

  std::vector<TimestampedMeterBlock> blocks_;
  std::vector<const TimestampedMeterBlock*> block_of_;
  std::vector<std::string> group_of_;  ///< name of the group of each kernel; empty if it belongs to none
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
