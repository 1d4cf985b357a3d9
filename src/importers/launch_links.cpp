#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/files/json_cursor.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

namespace {

/// Finds the first object with a given id.
class IdIndex {
 public:
  template <class Things, class Id>
  IdIndex(const Things& things, Id id) {
    entries_.reserve(things.size());
    for (uint32_t i = 0; i < things.size(); ++i) entries_.push_back({id(things[i]), i});
    if (!std::is_sorted(entries_.begin(), entries_.end())) std::sort(entries_.begin(), entries_.end());
  }
  std::optional<uint32_t> find(std::optional<int64_t> id) const {
    if (!id) return {};
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), Entry{*id, 0});
    if (at == entries_.end() || at->first != *id) return {};
    return at->second;
  }
  /// Calls take(first, other) for each object whose id an earlier object (`first`) has, too.
  template <class Take>
  void each_repeated(Take take) const {
    for (size_t i = 1, first = 0; i < entries_.size(); ++i)
      if (entries_[i].first == entries_[first].first)
        take(entries_[first].second, entries_[i].second);
      else
        first = i;
  }

 private:
  using Entry = std::pair<int64_t, uint32_t>;
  std::vector<Entry> entries_;
};

/// Two calls with the same correlation id.
struct RepeatedCalls {
  uint32_t first, second;
};

/// Returns whether one call was made by the other: their names differ, and one ran within the other.
/// Profilers that log runtime and driver may give both calls the same id. Equal names show an event that was
/// written twice.
bool is_within_other(const ProfilerCall& a, const ProfilerCall& b) {
  const auto holds = [](const ProfilerCall& outer, const ProfilerCall& inner) {
    return outer.begin_ns <= inner.begin_ns && inner.end_ns <= outer.end_ns;
  };
  return a.name != b.name && (holds(a, b) || holds(b, a));
}

/// Returns the pairs of calls with the same correlation id, by id. Throws Error if they are of different
/// processes.
std::map<int64_t, RepeatedCalls> repeated_ids(const ProfilerTrace& trace, const IdIndex& calls,
                                              const std::string& file) {
  std::map<int64_t, RepeatedCalls> repeated;
  calls.each_repeated([&](uint32_t first, uint32_t second) {
    const ProfilerCall &a = trace.calls[first], &b = trace.calls[second];
    if (a.process != b.process)
      throw Error(
          fmt::format(
              "{}: processes {} and {} use the same correlation ids, so their launches cannot be told apart",
              file, a.process.value_or(0), b.process.value_or(0)),
          "import the trace of each rank separately, before they are merged");
    if (!is_within_other(a, b)) repeated.try_emplace(a.correlation, RepeatedCalls{first, second});
  });
  return repeated;
}

/// Throws the Error for a launch whose correlation id two calls have. Repeated ids without a launch are no
/// error.
void fail_ambiguous_call(const ProfilerTrace& trace, const RepeatedCalls& calls,
                         const ProfilerOperation& launch, const std::string& file) {
  constexpr size_t kLongestName = 60;
  const auto shown = [](std::string_view name) { return json_text(name).substr(0, kLongestName); };
  const auto& [a, b] =
      std::minmax(trace.calls[calls.first], trace.calls[calls.second],
                  [](const ProfilerCall& x, const ProfilerCall& y) { return x.begin_ns < y.begin_ns; });
  throw Error(
      fmt::format("{}: two calls of process {} have correlation id {}, {} and {}, {:.3f} us later: it is "
                  "unknown which of them launched {}",
                  file, a.process.value_or(0), a.correlation, shown(a.name), shown(b.name),
                  (static_cast<double>(b.begin_ns) - static_cast<double>(a.begin_ns)) / 1e3,
                  shown(launch.name)),
      "if the file was edited or contains several traces, import each trace as the profiler wrote it");
}

/// Returns whether a call launches exactly one kernel: cudaLaunchKernel, cuLaunchKernelEx and similar calls,
/// but not launches of graphs.
bool launches_one(const ProfilerCall& call) {
  return call.name.starts_with("\"cudaLaunchKernel") || call.name.starts_with("\"cuLaunchKernel");
}

}  // namespace

LaunchLinks link_launches(const ProfilerTrace& trace, const std::string& name) {
  const IdIndex calls(trace.calls, [](const ProfilerCall& call) { return call.correlation; });
  const IdIndex operators(trace.operators, [](const ProfilerOperator& op) { return op.external_id; });
  const std::map<int64_t, RepeatedCalls> repeated = repeated_ids(trace, calls, name);
  LaunchLinks links;
  links.call.reserve(trace.operations.size());
  links.operator_index.reserve(trace.operations.size());
  std::vector<bool> launched(trace.calls.size());
  for (const ProfilerOperation& operation : trace.operations) {
    const auto call = calls.find(operation.correlation);
    const auto by_call = call ? operators.find(trace.calls[*call].external_id) : std::nullopt;
    links.call.push_back(call);
    links.operator_index.push_back(by_call ? by_call : operators.find(operation.external_id));
    if (!call) continue;
    if (const auto calls_of_id = repeated.find(trace.calls[*call].correlation); calls_of_id != repeated.end())
      fail_ambiguous_call(trace, calls_of_id->second, operation, name);
    if (launched[*call] && launches_one(trace.calls[*call])) ++links.sharing;
    launched[*call] = true;
  }
  return links;
}

}  // namespace kjoule
