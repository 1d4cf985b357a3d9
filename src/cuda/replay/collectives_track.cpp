#include "cuda/replay/collectives_track.hpp"

#include <algorithm>

namespace kjoule::cuda {

namespace {

std::vector<LaunchIndex> collectives_in(const std::vector<Call>& calls) {
  std::vector<LaunchIndex> found;
  for (size_t place = 0; place < calls.size(); ++place)
    if (is_collective(calls[place])) found.push_back(static_cast<LaunchIndex>(place));
  return found;
}

std::vector<DeviceClockOffset> read_offsets(const HostMemory& memory, size_t count) {
  const auto* first = static_cast<const DeviceClockOffset*>(memory.get());
  return {first, first + count};
}

}  // namespace

CollectivesTrack::CollectivesTrack(const ReplayContext& context)
    : GatedTrack(context, 2 * collectives_in(context.calls).size()),
      collectives_(collectives_in(context.calls)),
      before_(context.peers.members() * sizeof(DeviceClockOffset)),
      after_(context.peers.members() * sizeof(DeviceClockOffset)) {
  capture([this] { issue_work(); }, [this] { context_.memory->issue_restore(context_.capture_stream); });
}

void CollectivesTrack::issue_work() {
  const CUstream stream = context_.capture_stream;
  context_.peers.compare_clocks_in(stream, before_.address());
  // The comparison ends at different times on the ranks, and the program's iterations do not begin together.
  for (size_t place = 0; context_.is_closed && place < context_.calls.size(); ++place)
    issue(context_.calls[place], stream);
  for (size_t place = 0; place < context_.calls.size(); ++place) {
    const bool is_collective = std::ranges::binary_search(collectives_, static_cast<LaunchIndex>(place));
    if (is_collective) issue_stamp();
    issue(context_.calls[place], stream);
    if (is_collective) issue_stamp();
  }
  context_.peers.meet_in(stream);
  context_.peers.compare_clocks_in(stream, after_.address());
}

void CollectivesTrack::finish_repeat() {
  context_.memory->restore_after(context_.is_closed ? 2 : 1, context_.replay_stream);
}

CollectiveTimes CollectivesTrack::replay() {
  enqueue(1);
  wait();
  CollectiveTimes times{collectives_, {}, {}, context_.peers.position(), {}, {}};
  const std::span<const uint64_t> stamps = stamps_ns();
  for (size_t i = 0; i + 1 < stamps.size(); i += 2) {
    times.begin_ns.push_back(static_cast<int64_t>(stamps[i]));
    times.end_ns.push_back(static_cast<int64_t>(stamps[i + 1]));
  }
  if (times.position != 0) return times;
  times.before = read_offsets(before_, context_.peers.members());
  times.after = read_offsets(after_, context_.peers.members());
  return times;
}

}  // namespace kjoule::cuda
