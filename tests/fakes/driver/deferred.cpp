#include "deferred.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <string_view>
#include <utility>

#include "entry.hpp"

namespace stand_in {

namespace {

/// Like a stream's queue on a GPU: if it is full, the host waits for space before it issues more.
constexpr size_t kMostDeferred = 512;

struct Deferred {
  std::function<void()> operation;
  uint32_t correlation;
  uint32_t stream;
};

std::deque<Deferred>& deferred() {
  static auto* all = new std::deque<Deferred>;
  return *all;
}

bool defers() {
  static const bool asked = std::getenv("FAKE_CUDA_DEFERS") != nullptr;
  return asked;
}

bool defers_by_stream() {
  static const bool asked = defers() && std::string_view(std::getenv("FAKE_CUDA_DEFERS")) == "streams";
  return asked;
}

/// Returns whether the call issues work to a stream, or queries something that is not work, and returns at
/// once.
bool returns_at_once(std::string_view call) {
  if (call.find("Free") != call.npos) return false;
  constexpr std::string_view kParts[] = {"Launch", "Async",       "EventRecord", "StreamWaitEvent",
                                         "Get",    "IsCapturing", "Exchange"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](auto part) { return call.find(part) != call.npos; });
}

}  // namespace

void do_or_defer(std::function<void()> operation, uint32_t stream) {
  if (!defers()) return operation();
  if (deferred().size() == kMostDeferred) do_deferred();
  deferred().push_back({std::move(operation), current_correlation(), stream});
}

void do_deferred() {
  const uint32_t own = current_correlation();
  if (defers_by_stream()) std::ranges::stable_sort(deferred(), {}, &Deferred::stream);
  for (; !deferred().empty(); deferred().pop_front()) {
    set_current_correlation(deferred().front().correlation);
    if (!has_lost_context()) deferred().front().operation();
  }
  set_current_correlation(own);
}

void do_deferred_before(const char* call) {
  if (!returns_at_once(call)) do_deferred();
}

}  // namespace stand_in
