#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "trace/profiler_trace.hpp"

namespace kjoule {

namespace {

/// Finds the first of some things by an id that they carry.
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
  /// Calls take(first, other) for things that have the same id as one before them.
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

}  // namespace

LaunchLinks link_launches(const ProfilerTrace& trace, const std::string& name) {
  const IdIndex calls(trace.calls, [](const ProfilerCall& call) { return call.correlation; });
  const IdIndex operators(trace.operators, [](const ProfilerOperator& op) { return op.external_id; });
  calls.each_repeated([&](uint32_t a, uint32_t b) {
    if (trace.calls[a].process != trace.calls[b].process)
      throw Error(fmt::format("{}: processes {} and {} use the same correlation ids", name,
                              trace.calls[a].process.value_or(0), trace.calls[b].process.value_or(0)),
                  "import the trace of each rank by itself, before they are merged");
  });
  LaunchLinks links;
  links.call.reserve(trace.operations.size());
  links.made_by.reserve(trace.operations.size());
  for (const ProfilerOperation& operation : trace.operations) {
    const auto call = calls.find(operation.correlation);
    const auto by_call = call ? operators.find(trace.calls[*call].external_id) : std::nullopt;
    links.call.push_back(call);
    links.made_by.push_back(by_call ? by_call : operators.find(operation.external_id));
  }
  return links;
}

}  // namespace kjoule
