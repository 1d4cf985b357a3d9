#include "importers/calling_operators.hpp"

#include <numeric>
#include <tuple>

namespace kjoule {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
/// Calls and operators are timed by two clocks, which differ by a few us. Only an operator that the call's
/// id names may be so far away from the call.
constexpr int64_t kClockDifference_ns = 10'000;
/// Old profilers cut begin and duration to whole us, so that an operator seems to end up to 2 us too early.
constexpr int64_t kRounding_ns = 2'000;
/// The number of open operators among which the one of a call is looked for; real nesting is not as deep.
constexpr size_t kDeepest = 256;

/// Returns whether most calls and operations with both ids have equal ones.
bool ids_are_correlations(const ProfilerTrace& trace) {
  size_t both = 0, equal = 0;
  const auto add = [&](const std::optional<int64_t>& id, const std::optional<int64_t>& correlation) {
    if (!id || !correlation) return;
    ++both;
    if (id == correlation) ++equal;
  };
  for (const ProfilerCall& call : trace.calls) add(call.external_id, call.correlation);
  for (const ProfilerOperation& operation : trace.operations)
    add(operation.external_id, operation.correlation);
  return 2 * equal > both;
}

template <class Before>
std::vector<uint32_t> ordered(size_t number, Before before) {
  std::vector<uint32_t> order(number);
  std::iota(order.begin(), order.end(), 0u);
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::stable_sort(order.begin(), order.end(), before);
  return order;
}

/// The operators of one thread that have begun, outermost first.
class OpenOperators {
 public:
  explicit OpenOperators(const std::vector<ProfilerOperator>& operators) : operators_(operators) {}

  void clear() { open_.clear(); }
  void add(uint32_t op) {
    drop_ended(operators_[op].begin_ns);
    open_.push_back(op);
  }
  /// Returns the innermost operator that was running from the begin to the end of a call.
  uint32_t around(const ProfilerCall& call) {
    drop_ended(call.begin_ns);
    for (size_t i = 0; i < std::min(open_.size(), kDeepest); ++i) {
      const uint32_t op = open_[open_.size() - 1 - i];
      const int64_t end_ns = *operators_[op].end_ns;
      if (end_ns >= call.begin_ns && end_ns >= call.end_ns - kRounding_ns) return op;
    }
    return kNone;
  }

 private:
  void drop_ended(int64_t now_ns) {
    while (!open_.empty() && *operators_[open_.back()].end_ns < now_ns) open_.pop_back();
  }

  const std::vector<ProfilerOperator>& operators_;
  std::vector<uint32_t> open_;
};

}  // namespace

CallingOperators::CallingOperators(const ProfilerTrace& trace)
    : trace_(trace),
      ids_(trace.operators, [](const ProfilerOperator& op) { return op.external_id; }),
      trusts_ids_(!ids_are_correlations(trace)) {
  size_t threads = 0;
  for (const ProfilerOperator& op : trace.operators) {
    if (op.thread >= has_operators_.size()) has_operators_.resize(op.thread + 1);
    if (has_operators_[op.thread]) continue;
    has_operators_[op.thread] = true;
    only_thread_ = ++threads == 1 ? std::optional(op.thread) : std::nullopt;
  }
  if (threads > 0) find_by_time();
}

void CallingOperators::find_by_time() {
  const auto& operators = trace_.operators;
  const auto& calls = trace_.calls;
  const auto by_time = ordered(operators.size(), [&](uint32_t a, uint32_t b) {
    const ProfilerOperator &x = operators[a], &y = operators[b];
    return std::tuple(x.thread, x.begin_ns, y.end_ns) < std::tuple(y.thread, y.begin_ns, x.end_ns);
  });
  const auto calls_by_time = ordered(calls.size(), [&](uint32_t a, uint32_t b) {
    return std::tuple(operators_thread(calls[a].thread), calls[a].begin_ns) <
           std::tuple(operators_thread(calls[b].thread), calls[b].begin_ns);
  });
  by_time_.assign(calls.size(), kNone);
  OpenOperators open(operators);
  size_t next = 0;
  uint32_t thread = kNone;
  for (const uint32_t call : calls_by_time) {
    const uint32_t wanted = operators_thread(calls[call].thread);
    if (wanted != thread) {
      open.clear();
      thread = wanted;
      while (next < by_time.size() && operators[by_time[next]].thread < thread) ++next;
    }
    for (; next < by_time.size() && operators[by_time[next]].thread == thread &&
           operators[by_time[next]].begin_ns <= calls[call].begin_ns;
         ++next)
      if (operators[by_time[next]].end_ns) open.add(by_time[next]);
    by_time_[call] = open.around(calls[call]);
  }
}

uint32_t CallingOperators::operators_thread(uint32_t calls_thread) const {
  const bool known = calls_thread < has_operators_.size() && has_operators_[calls_thread];
  return known ? calls_thread : only_thread_.value_or(calls_thread);
}

bool CallingOperators::agrees(const ProfilerOperator& op, const ProfilerCall& call) const {
  const bool known = call.thread < has_operators_.size() && has_operators_[call.thread];
  if (known && op.thread != call.thread) return false;
  return op.begin_ns <= call.begin_ns + kClockDifference_ns &&
         (!op.end_ns || *op.end_ns >= call.begin_ns - kClockDifference_ns);
}

std::optional<uint32_t> CallingOperators::of_call(uint32_t call,
                                                  const std::optional<int64_t>& operations_id) const {
  const ProfilerCall& made = trace_.calls[call];
  if (trusts_ids_)
    for (const auto& id : {made.external_id, operations_id})
      if (const auto named =
              ids_.find_if(id, [&](uint32_t op) { return agrees(trace_.operators[op], made); }))
        return named;
  if (by_time_.empty() || by_time_[call] == kNone) return {};
  return by_time_[call];
}

std::optional<uint32_t> CallingOperators::of_operation(const ProfilerOperation& operation) const {
  if (!trusts_ids_) return {};
  return ids_.find_if(operation.external_id,
                      [&](uint32_t op) { return trace_.operators[op].begin_ns <= operation.begin_ns; });
}

}  // namespace kjoule
