#include "cuda/replay/stamped_track.hpp"

#include "base/bug_remedy.hpp"
#include "base/error.hpp"

namespace kjoule::cuda {

namespace {

/// Returns whether the launches are whole iterations in order. The last one may be incomplete.
bool is_in_order(const std::vector<LaunchIndex>& launches, size_t iteration) {
  for (size_t place = 0; place < launches.size(); ++place)
    if (launches[place] != place % iteration) return false;
  return true;
}

}  // namespace

StampedTrack::StampedTrack(const ReplayContext& context, const StampedWork& work)
    : GatedTrack(context, work.stamped_after.size()),
      iterations_((work.launches.size() + context.calls.size() - 1) / context.calls.size()),
      in_order_(is_in_order(work.launches, context.calls.size())) {
  if (in_order_ && iterations_ > 1 && !context_.is_closed)
    throw Error("a window that is no iteration cannot be repeated without restoring memory", kBugRemedy);
  if (!in_order_) context_.memory->save_written(context_.calls, context_.replay_stream);
  capture([&] { issue_work(work); },
          [&] {
            if (in_order_) issue_end(work.launches.size());
          });
}

void StampedTrack::issue_work(const StampedWork& work) {
  size_t stamp = 0;
  for (size_t place = 0; place < work.launches.size(); ++place) {
    issue(context_.calls[work.launches[place]], context_.capture_stream);
    for (; stamp < work.stamped_after.size() && work.stamped_after[stamp] == place; ++stamp) issue_stamp();
  }
}

void StampedTrack::issue_end(size_t launches) const {
  const size_t iteration = context_.calls.size();
  for (size_t place = launches; place % iteration != 0; ++place)
    issue(context_.calls[place % iteration], context_.capture_stream);
  context_.memory->issue_restore(context_.capture_stream);
}

void StampedTrack::finish_repeat() {
  if (in_order_)
    context_.memory->restore_after(iterations_, context_.replay_stream);
  else
    context_.memory->restore_all(context_.replay_stream);
}

}  // namespace kjoule::cuda
