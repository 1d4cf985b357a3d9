#include "compare/tables/launch_assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/json/whole_number.hpp"
#include "recording/call_ranges.hpp"
#include "recording/kernel_name.hpp"

namespace kjoule {

namespace {

bool same_extent(const std::optional<Extent>& recorded, const nlohmann::json& detail, const char* key) {
  return !recorded || (detail.contains(key) && detail.at(key).get<Extent>() == *recorded);
}

bool is_same(const ImportedKernel& kernel, const std::string& call, const Launch& launch) {
  if (kernel.kind != ActivityKind::kernel)
    return launch.name.starts_with(call) &&
           whole_number_or<int64_t>(launch.detail, "bytes", -1) == kernel.bytes;
  // A kernel of a CPU recording is an operator with its arguments.
  if (!kernel.launched_by.arguments.is_null() && !kernel.grid)
    return launch.signature == kernel.recorded_signature;
  return launch.detail.contains("grid") && launch.name == readable_name(kernel.name) &&
         same_extent(kernel.grid, launch.detail, "grid") && same_extent(kernel.block, launch.detail, "block");
}

bool is_same_family(const ImportedKernel& kernel, const Launch& launch, KernelRules& rules) {
  if (kernel.kind != ActivityKind::kernel || kernel.family.empty() || kernel.category == "unknown")
    return false;
  if (adds_up_products(kernel.name) != adds_up_products(launch.name)) return false;
  const KernelClass& is = rules.classify(launch.name);
  return is.family == kernel.family && is.category == kernel.category &&
         (is.dtype == kernel.dtype || is.dtype.empty() || kernel.dtype.empty());
}

/// Returns the message that the recorded kernel ran with another grid or block; empty if another kernel ran.
/// The cause is usually that the table states other sizes than those of the recorded launch.
std::string other_extent_text(const ImportedKernel& kernel, const Launch& launch) {
  if (launch.name != readable_name(kernel.name)) return {};
  const bool is_grid = !same_extent(kernel.grid, launch.detail, "grid");
  const char* key = is_grid ? "grid" : "block";
  return fmt::format(
      "it ran with {} {} instead of {}; the stated sizes may not be those of the recorded launch", key,
      extent_text(launch.detail.at(key).get<Extent>()), extent_text(is_grid ? *kernel.grid : *kernel.block));
}

/// The launches of each call that are not yet assigned to a kernel of the table.
class CallLaunches {
 public:
  CallLaunches(const Recording& recording, std::map<size_t, std::vector<LaunchIndex>> launches,
               KernelRules& rules)
      : recording_(recording), launches_(std::move(launches)), rules_(rules) {}

  /// Returns the launch that is the same as the recorded kernel; nothing if there is none. Each launch is
  /// assigned to one kernel only: on the CPU, the time of an operator is that of all kernels that it launched
  /// on the GPU, and must be summed only once.
  std::optional<LaunchIndex> find_same(size_t call, ReplayedKernel& kernel) {
    const auto found =
        claim(call, [&](const Launch& launch) { return is_same(kernel.kernel, kernel.call, launch); });
    if (found) kernel.result = ReplayResult::same;
    return found;
  }

  /// Returns a launch of the same family, otherwise a launch of a different kernel; nothing if the call
  /// launched nothing. To be called after find_same() was called for all kernels.
  std::optional<LaunchIndex> find_other(size_t call, ReplayedKernel& kernel) {
    const auto launches = launches_.find(call);
    if (launches == launches_.end() || launches->second.empty()) return {};
    kernel.result = ReplayResult::same_family;
    if (const auto found = claim(
            call, [&](const Launch& launch) { return is_same_family(kernel.kernel, launch, rules_); })) {
      kernel.why = other_extent_text(kernel.kernel, recording_.launches[*found]);
      return found;
    }
    kernel.result = ReplayResult::different;
    const LaunchIndex first = launches->second.front();
    if (stands_for_another(call, first))
      kernel.why = "the launch of its operator was already assigned to another kernel of the table";
    return first;
  }

  /// Returns the launches that one execution of a call made, for a call whose kernel the table does not
  /// state. `copies` is the number of executions of the call.
  std::vector<LaunchIndex> claim_all(size_t call, size_t copies) {
    const auto launches = launches_.find(call);
    if (launches == launches_.end()) return {};
    for (const LaunchIndex launch : launches->second)
      claimed_[call].insert(recording_.launches[launch].signature);
    return {launches->second.begin(),
            launches->second.begin() + static_cast<std::ptrdiff_t>(launches->second.size() / copies)};
  }

  size_t unclaimed() const {
    std::set<std::string> claimed, others;
    for (const auto& [call, signatures] : claimed_) claimed.insert(signatures.begin(), signatures.end());
    for (const auto& [call, launches] : launches_)
      for (const LaunchIndex launch : launches)
        if (!claimed.contains(recording_.launches[launch].signature))
          others.insert(recording_.launches[launch].signature);
    return others.size();
  }

 private:
  template <typename Fits>
  std::optional<LaunchIndex> claim(size_t call, const Fits& fits) {
    const auto launches = launches_.find(call);
    if (launches == launches_.end()) return {};
    for (const LaunchIndex launch : launches->second)
      if (!stands_for_another(call, launch) && fits(recording_.launches[launch])) {
        claimed_[call].insert(recording_.launches[launch].signature);
        return launch;
      }
    return {};
  }

  bool stands_for_another(size_t call, LaunchIndex launch) const {
    const auto signatures = claimed_.find(call);
    return signatures != claimed_.end() && signatures->second.contains(recording_.launches[launch].signature);
  }

  const Recording& recording_;
  std::map<size_t, std::vector<LaunchIndex>> launches_;
  KernelRules& rules_;
  std::map<size_t, std::set<std::string>> claimed_;  ///< signatures of the assigned launches, by call
};

/// Adds name and time of a kernel that ran. If one kernel of a call has no time, the call has none.
void add_time(const KernelResult& result, ReplayedKernel& kernel) {
  const bool is_first = kernel.ran.empty();
  kernel.ran += (is_first ? "" : " + ") + result.name;
  kernel.runs = is_first ? result.isolated_runs : std::min(kernel.runs, result.isolated_runs);
  kernel.start_timestamp = is_first ? result.start_timestamp : "";
  kernel.end_timestamp = is_first ? result.end_timestamp : "";
  if (!is_first && !kernel.each_s) return;
  if (result.isolated_s) {
    kernel.each_s = kernel.each_s.value_or(0) + *result.isolated_s;
    return;
  }
  kernel.each_s.reset();
  kernel.result = ReplayResult::not_replayable;
  kernel.why = result.error.empty() ? "it was not measured before the command ended" : result.error;
}

}  // namespace

void assign_launches(ReplayedTable& table, const ReplayPlan& plan, const MadeCalls& calls,
                     KernelRules& rules) {
  CallLaunches launches(calls.recording, launches_of_calls(calls.recording, calls.made), rules);
  const auto result_of = [&](LaunchIndex launch) -> const KernelResult& {
    return calls.results[calls.kernels.kernel_of[launch]];
  };
  std::vector<size_t> made;  // the kernels of these calls
  for (size_t k = 0; k < table.kernels.size(); ++k)
    if (table.kernels[k].why.empty() && plan.kernels[k].call &&
        std::ranges::find(calls.made, *plan.kernels[k].call) != calls.made.end())
      made.push_back(k);
  std::map<size_t, LaunchIndex> same;
  for (const size_t k : made)
    if (const auto found = launches.find_same(*plan.kernels[k].call, table.kernels[k])) same[k] = *found;
  for (const size_t k : made) {
    ReplayedKernel& kernel = table.kernels[k];
    const size_t call = *plan.kernels[k].call;
    std::vector<LaunchIndex> ran;
    const auto* product = std::get_if<MatrixProduct>(&plan.calls[call]);
    if (product != nullptr && product->kernel.empty()) {
      kernel.result = ReplayResult::not_stated;
      ran = launches.claim_all(call, static_cast<size_t>(std::ranges::count(calls.made, call)));
    } else if (const auto found =
                   same.contains(k) ? std::optional(same.at(k)) : launches.find_other(call, kernel)) {
      ran = {*found};
    }
    for (const LaunchIndex launch : ran) add_time(result_of(launch), kernel);
    if (kernel.each_s) kernel.replayed_on = calls.device;
    if (calls.device == "cpu" && kernel.of_gpu() && may_be_summed(kernel.result)) {
      kernel.result = ReplayResult::different;
      kernel.why = "the recorded kernel ran on a GPU, but its operator was replayed on the CPU";
    }
    if (!ran.empty()) continue;
    kernel.result = ReplayResult::not_replayable;
    kernel.why = kernel.call + " launched nothing";
  }
  table.extra_kernels += launches.unclaimed();
}

}  // namespace kjoule
