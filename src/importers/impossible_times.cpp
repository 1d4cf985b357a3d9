#include "importers/impossible_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/files/json_cursor.hpp"
#include "base/text/counted.hpp"

namespace kjoule {

namespace {

constexpr size_t kListed = 3;
constexpr size_t kLongestKernelName = 70;
/// Clocks of host and device differ by less than this.
constexpr int64_t kClocks_ns = 100'000;

/// The first begin and the last end of some events.
struct TimeSpan {
  int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;

  void add(int64_t from_ns, int64_t to_ns) {
    begin_ns = std::min(begin_ns, from_ns);
    end_ns = std::max(end_ns, to_ns);
  }
  bool is_empty() const { return end_ns < begin_ns; }
};

/// Returns whether a call waits for all work of the device: cudaDeviceSynchronize, hipDeviceSynchronize,
/// cuCtxSynchronize.
bool waits_for_device(std::string_view name) {
  const size_t at = name.find("Synchronize");
  if (at == std::string_view::npos) return false;
  const std::string_view before = name.substr(0, at);
  return before.ends_with("Device") || before.ends_with("Ctx");
}

class TimeCheck {
 public:
  TimeCheck(const ProfilerTrace& trace, const LaunchLinks& links, const std::vector<uint32_t>& operations)
      : trace_(trace), links_(links), operations_(operations) {}

  std::vector<FaultyTime> find() {
    compare_neighbours();
    if (has_one_device()) compare_with_waits();
    compare_with_trace();
    std::vector<FaultyTime> found;
    for (const auto& [operation, fault] : found_) found.push_back(fault);
    return found;
  }

 private:
  void add(const FaultyTime& fault) {
    const auto [at, is_new] = found_.try_emplace(fault.operation, fault);
    if (!is_new && !at->second.is_impossible()) at->second = fault;
  }

  bool is_of_graph(uint32_t operation) const {
    const auto call = links_.call[operation];
    return call && launches_graph(trace_.calls[*call]);
  }
  bool may_overlap(uint32_t a, uint32_t b) const {
    const auto &first = links_.call[a], &second = links_.call[b];
    return (first && first == second) || (is_of_graph(a) && is_of_graph(b));
  }

  /// Compares each launch with the next one on its stream.
  void compare_neighbours() {
    std::vector<uint32_t> order;
    bool whole_us = true;
    for (const uint32_t i : operations_) {
      const ProfilerOperation& operation = trace_.operations[i];
      whole_us = whole_us && operation.begin_ns % 1000 == 0 && operation.duration_ns % 1000 == 0;
      if (operation.stream) order.push_back(i);
    }
    const auto place = [this](uint32_t i) {
      const ProfilerOperation& operation = trace_.operations[i];
      return std::tuple(operation.context, operation.stream, operation.begin_ns, operation.end_ns());
    };
    if (!std::ranges::is_sorted(order, {}, place)) std::ranges::stable_sort(order, {}, place);
    const int64_t tolerance_ns = whole_us ? 2000 : 1000;
    for (size_t i = 0; i + 1 < order.size(); ++i) {
      const ProfilerOperation &one = trace_.operations[order[i]], &next = trace_.operations[order[i + 1]];
      if (one.context != next.context || one.stream != next.stream) continue;
      if (one.end_ns() - tolerance_ns <= next.begin_ns || may_overlap(order[i], order[i + 1])) continue;
      add({order[i], one.end_ns() >= next.end_ns() ? TimeFault::ends_after_next : TimeFault::overlaps_next,
           one.end_ns() - next.begin_ns, order[i + 1]});
    }
  }

  bool has_one_device() const { return operations_.size() == trace_.operations.size(); }

  /// Compares each launch with the next call in which the host waited for the device.
  void compare_with_waits() {
    std::map<std::optional<int64_t>, std::vector<const ProfilerCall*>> waits;  // by process
    for (const ProfilerCall& call : trace_.calls)
      if (call.end_ns > call.begin_ns && waits_for_device(call.name)) waits[call.process].push_back(&call);
    for (auto& [process, calls] : waits) std::ranges::stable_sort(calls, {}, &ProfilerCall::begin_ns);
    for (const uint32_t i : operations_) {
      if (!links_.call[i]) continue;
      const ProfilerCall& call = trace_.calls[*links_.call[i]];
      const auto of_process = waits.find(call.process);
      if (of_process == waits.end()) continue;
      const auto wait =
          std::ranges::lower_bound(of_process->second, call.end_ns, {}, &ProfilerCall::begin_ns);
      const int64_t end_ns = trace_.operations[i].end_ns();
      if (wait != of_process->second.end() && end_ns - kClocks_ns > (*wait)->end_ns)
        add({i, TimeFault::ends_after_wait, end_ns - (*wait)->end_ns, i});
    }
  }

  /// Compares each launch with the time from the first to the last of all other events.
  void compare_with_trace() {
    TimeSpan host;
    for (const ProfilerCall& call : trace_.calls) host.add(call.begin_ns, call.end_ns);
    for (const ProfilerOperator& op : trace_.operators)
      host.add(op.begin_ns, op.end_ns.value_or(op.begin_ns));
    for (const ProfilerRange& range : trace_.ranges) host.add(range.begin_ns, range.end_ns);
    if (host.is_empty() || trace_.operations.size() < 3) return;
    const auto [longest, rest] = longest_and_rest(host);
    const ProfilerOperation& operation = trace_.operations[longest];
    if (!std::ranges::binary_search(operations_, longest) || rest.is_empty()) return;
    const auto span_ns = static_cast<double>(rest.end_ns) - static_cast<double>(rest.begin_ns);
    if (static_cast<double>(operation.duration_ns) > span_ns)
      add({longest, TimeFault::exceeds_trace, operation.duration_ns, longest});
  }

  /// Returns the longest operation, and the span of all other events. Only the longest operation can exceed
  /// this span.
  std::pair<uint32_t, TimeSpan> longest_and_rest(TimeSpan rest) const {
    const auto longest = std::ranges::max_element(trace_.operations, {}, &ProfilerOperation::duration_ns);
    for (auto other = trace_.operations.begin(); other != trace_.operations.end(); ++other)
      if (other != longest) rest.add(other->begin_ns, other->end_ns());
    return {static_cast<uint32_t>(longest - trace_.operations.begin()), rest};
  }

  const ProfilerTrace& trace_;
  const LaunchLinks& links_;
  const std::vector<uint32_t>& operations_;
  std::map<uint32_t, FaultyTime> found_;  ///< by operation
};

double us(int64_t ns) {
  return static_cast<double>(ns) / 1e3;
}

std::string name_in(const ProfilerTrace& trace, uint32_t operation) {
  const std::string name = json_text(trace.operations[operation].name);
  return name.size() <= kLongestKernelName ? name : name.substr(0, kLongestKernelName - 2) + "..";
}

std::string fault_text(const ProfilerTrace& trace, const FaultyTime& fault) {
  const ProfilerOperation& operation = trace.operations[fault.operation];
  const std::string name =
      fmt::format("{} ({:.3f} us)", name_in(trace, fault.operation), us(operation.duration_ns));
  switch (fault.fault) {
    case TimeFault::ends_after_wait:
      return fmt::format("{} ends {:.3f} us after the host had waited for the device", name,
                         us(fault.excess_ns));
    case TimeFault::exceeds_trace:
      return fmt::format("{} takes longer than all other events together, from the first to the last one",
                         name);
    default:
      return fmt::format("{} ends {:.3f} us after the next launch on stream {} ({}) began", name,
                         us(fault.excess_ns), operation.stream.value_or(0), name_in(trace, fault.next));
  }
}

/// Returns the texts of the first faults, and the number of the others.
std::string listed(const ProfilerTrace& trace, const std::vector<FaultyTime>& faults) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(kListed, faults.size()); ++i) texts.push_back(fault_text(trace, faults[i]));
  if (faults.size() > kListed) texts.push_back(fmt::format("and {} more", faults.size() - kListed));
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

std::vector<FaultyTime> find_faulty_times(const ProfilerTrace& trace, const LaunchLinks& links,
                                          const std::vector<uint32_t>& operations) {
  return TimeCheck(trace, links, operations).find();
}

std::vector<std::string> faulty_time_warnings(const ProfilerTrace& trace,
                                              const std::vector<FaultyTime>& found, bool omitted) {
  std::vector<FaultyTime> impossible, overlapping;
  for (const FaultyTime& fault : found) (fault.is_impossible() ? impossible : overlapping).push_back(fault);
  std::vector<std::string> warnings;
  if (!impossible.empty())
    warnings.push_back(
        fmt::format("{} {} an impossible time, which is {}: {}", counted(impossible.size(), "launch"),
                    agreeing(impossible.size(), "has", "have"),
                    omitted ? "left out" : "part of the totals unless --omit-impossible-times is given",
                    listed(trace, impossible)));
  if (!overlapping.empty())
    warnings.push_back(fmt::format(
        "{} {} before the previous launch on the same stream has ended, which only programmatic dependent "
        "launches may do, so the sum of the times exceeds the elapsed time: {}",
        counted(overlapping.size(), "launch"), agreeing(overlapping.size(), "begins", "begin"),
        listed(trace, overlapping)));
  return warnings;
}

}  // namespace kjoule
