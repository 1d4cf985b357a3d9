#include "compare/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"

namespace kjoule {

namespace {

bool same_extent(const std::optional<Extent>& recorded, const nlohmann::json& detail, const char* key) {
  return !recorded || (detail.contains(key) && detail.at(key).get<Extent>() == *recorded);
}

bool is_same(const ImportedKernel& kernel, const std::string& call, const Launch& launch) {
  if (kernel.kind != ActivityKind::kernel)
    return launch.name.starts_with(call) && launch.detail.value("bytes", int64_t{-1}) == kernel.bytes;
  // A kernel of a CPU recording is an operator with its arguments.
  if (!kernel.launched_by.arguments.is_null() && !kernel.grid)
    return launch.signature == kernel.recorded_signature;
  return launch.detail.contains("grid") && launch.name == readable_name(kernel.name) &&
         same_extent(kernel.grid, launch.detail, "grid") && same_extent(kernel.block, launch.detail, "block");
}

bool is_same_family(const ImportedKernel& kernel, const Launch& launch, KernelRules& rules) {
  if (kernel.kind != ActivityKind::kernel || kernel.family.empty() || kernel.category == "unknown")
    return false;
  const KernelClass& is = rules.classify(launch.name);
  return is.family == kernel.family && is.category == kernel.category &&
         (is.dtype == kernel.dtype || is.dtype.empty() || kernel.dtype.empty());
}

/// Assigns the launches of each call to the table's kernels, and counts the launches that are left.
class Replays {
 public:
  Replays(const Recording& recording, std::map<size_t, std::vector<LaunchIndex>> launches, KernelRules& rules)
      : recording_(recording), launches_(std::move(launches)), rules_(rules) {}

  /// Returns the launch that is the same as the recorded kernel; nothing if there is none. Each launch stands
  /// for one kernel only: if an operator runs as a whole (on the CPU), its time is that of all kernels that
  /// it launched on the GPU, and must be summed once.
  std::optional<LaunchIndex> find_same(size_t call, ReplayedKernel& kernel) {
    const auto found =
        claim(call, [&](const Launch& launch) { return is_same(kernel.kernel, kernel.call, launch); });
    if (found) kernel.replayed = Replayed::same;
    return found;
  }

  /// Returns a launch of the same family, or else a different one; nothing if the call launched nothing. Call
  /// it after find_same() was called for all kernels.
  std::optional<LaunchIndex> find_other(size_t call, ReplayedKernel& kernel) {
    const auto launches = launches_.find(call);
    if (launches == launches_.end() || launches->second.empty()) return {};
    kernel.replayed = Replayed::same_family;
    if (const auto found =
            claim(call, [&](const Launch& launch) { return is_same_family(kernel.kernel, launch, rules_); }))
      return found;
    kernel.replayed = Replayed::different;
    const LaunchIndex first = launches->second.front();
    if (stands_for_another(call, first))
      kernel.why = "the kernel that its operator launched was already used for another kernel of the table";
    return first;
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

void take_time(const KernelResult& result, ReplayedKernel& kernel) {
  kernel.ran = result.name;
  kernel.each_s = result.isolated_s;
  kernel.runs = result.isolated_runs;
  kernel.start_timestamp = result.start_timestamp;
  kernel.end_timestamp = result.end_timestamp;
  if (result.isolated_s) return;
  kernel.replayed = Replayed::not_replayable;
  kernel.why = result.error.empty() ? "it was not measured before the command ended" : result.error;
}

}  // namespace

ReplayedTable unreplayed_table(const ImportedTable& table, const ReplayPlan& plan, const std::string& why) {
  ReplayedTable replayed;
  replayed.source = table.source;
  replayed.format = table.format;
  replayed.iterations_missing = table.iterations_missing();
  if (table.iterations.known()) replayed.iterations = table.iterations.number;
  for (size_t k = 0; k < table.kernels.size(); ++k) {
    ReplayedKernel& kernel = replayed.kernels.emplace_back();
    kernel.kernel = table.kernels[k];
    kernel.count = table.count(kernel.kernel).value_or(static_cast<double>(kernel.kernel.launches));
    kernel.why = plan.kernels[k].why_not.empty() ? why : plan.kernels[k].why_not;
    if (const auto call = plan.kernels[k].call) kernel.call = call_name(plan.calls[*call]);
  }
  return replayed;
}

ReplayedTable replayed_table(const ImportedTable& table, const ReplayPlan& plan,
                             const std::vector<size_t>& made, const Recording& recording,
                             const KernelTable& kernels, const std::vector<KernelResult>& results,
                             KernelRules& rules) {
  ReplayedTable replayed = unreplayed_table(table, plan);
  Replays replays(recording, launches_of_calls(recording, made), rules);
  const auto has_call = [&](const ReplayedKernel& kernel) {
    return !kernel.call.empty() && kernel.why.empty();
  };
  std::vector<std::optional<LaunchIndex>> ran(table.kernels.size());
  for (size_t k = 0; k < ran.size(); ++k)
    if (has_call(replayed.kernels[k])) ran[k] = replays.find_same(*plan.kernels[k].call, replayed.kernels[k]);
  for (size_t k = 0; k < ran.size(); ++k) {
    ReplayedKernel& kernel = replayed.kernels[k];
    if (!has_call(kernel)) continue;
    if (!ran[k]) ran[k] = replays.find_other(*plan.kernels[k].call, kernel);
    if (ran[k])
      take_time(results[kernels.kernel_of[*ran[k]]], kernel);
    else
      kernel.why = kernel.call + " launched nothing";
  }
  replayed.extra_kernels = replays.unclaimed();
  return replayed;
}

std::string not_replayed_text(const ReplayedTable& table) {
  const auto failed = std::count_if(table.kernels.begin(), table.kernels.end(), [](const auto& kernel) {
    return kernel.replayed == Replayed::not_replayable;
  });
  if (failed == 0) return {};
  if (static_cast<size_t>(failed) == table.kernels.size())
    return fmt::format(
        "none of the {} kernels of {} could be replayed, so there is no sum of their times; the first of "
        "them, {}: {}",
        failed, table.source, table.kernels.front().kernel.name, table.kernels.front().why);
  return fmt::format("{}: {} of {} kernels could not be replayed and are missing from its sum", table.source,
                     failed, table.kernels.size());
}

}  // namespace kjoule
