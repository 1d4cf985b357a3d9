#include "cuda/replay/stamped_track.hpp"

#include <algorithm>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"

namespace kjoule::cuda {

namespace {

/// Returns whether the launches are whole iterations of this length in order. The last one may be incomplete.
bool is_in_order(const std::vector<LaunchIndex>& launches, size_t length) {
  for (size_t place = 0; place < launches.size(); ++place)
    if (launches[place] != place % length) return false;
  return true;
}

bool contains_restoring(const std::vector<LaunchIndex>& launches, size_t iteration) {
  return std::ranges::find(launches, iteration) != launches.end();
}

}  // namespace

StampedTrack::StampedTrack(const ReplayContext& context, const StampedWork& work)
    : GatedTrack(context, work.stamped_after.size()),
      length_(context.calls.size() + (contains_restoring(work.launches, context.calls.size()) ? 1 : 0)),
      iterations_((work.launches.size() + length_ - 1) / length_),
      in_order_(is_in_order(work.launches, length_)) {
  if (in_order_ && iterations_ > 1 && !context_.is_closed)
    throw Error("a window that is no iteration cannot be repeated without restoring memory", kBugRemedy);
  if (length_ > context_.calls.size() && !(in_order_ && context_.memory->restores_within_graphs()))
    throw Error("memory cannot be restored within this work", kBugRemedy);
  if (!in_order_) context_.memory->save_written(context_.calls, context_.replay_stream);
  capture([&] { issue_work(work); },
          [&] {
            if (in_order_) issue_end(work.launches.size());
          });
}

void StampedTrack::issue_work(const StampedWork& work) {
  size_t stamp = 0;
  for (size_t place = 0; place < work.launches.size(); ++place) {
    issue_place(work.launches[place]);
    for (; stamp < work.stamped_after.size() && work.stamped_after[stamp] == place; ++stamp) issue_stamp();
  }
}

void StampedTrack::issue_place(size_t place) const {
  if (place < context_.calls.size())
    issue(context_.calls[place], context_.capture_stream);
  else
    context_.memory->issue_restore(context_.capture_stream);
}

void StampedTrack::issue_end(size_t launches) const {
  for (size_t place = launches; place % length_ != 0; ++place) issue_place(place % length_);
  if (length_ == context_.calls.size()) context_.memory->issue_restore(context_.capture_stream);
}

void StampedTrack::finish_repeat() {
  if (in_order_)
    context_.memory->restore_after(iterations_, context_.replay_stream);
  else
    context_.memory->restore_all(context_.replay_stream);
}

}  // namespace kjoule::cuda
