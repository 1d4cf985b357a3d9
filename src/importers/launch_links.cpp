#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/files/json_cursor.hpp"
#include "importers/calling_operators.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

namespace {

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

bool launches_graph(const ProfilerCall& call) {
  return call.name.find("GraphLaunch") != std::string_view::npos;
}

LaunchLinks link_launches(const ProfilerTrace& trace, const std::string& name) {
  const IdIndex calls(trace.calls, [](const ProfilerCall& call) { return call.correlation; });
  const CallingOperators operators(trace);
  const std::map<int64_t, RepeatedCalls> repeated = repeated_ids(trace, calls, name);
  LaunchLinks links;
  links.call.reserve(trace.operations.size());
  links.operator_index.reserve(trace.operations.size());
  std::vector<bool> launched(trace.calls.size());
  for (const ProfilerOperation& operation : trace.operations) {
    const auto call = calls.find(operation.correlation);
    links.call.push_back(call);
    links.operator_index.push_back(call ? operators.of_call(*call, operation.external_id)
                                        : operators.of_operation(operation));
    if (!call) continue;
    if (const auto calls_of_id = repeated.find(trace.calls[*call].correlation); calls_of_id != repeated.end())
      fail_ambiguous_call(trace, calls_of_id->second, operation, name);
    if (launched[*call] && launches_one(trace.calls[*call])) ++links.sharing;
    launched[*call] = true;
  }
  return links;
}

}  // namespace kjoule
