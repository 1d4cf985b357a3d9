#include "device/ranked_device.hpp"

#include <deque>
#include <utility>

namespace kjoule {

namespace {

/// The tracks of all ranks, which are replayed in step.
class RankedTrack final : public Track {
 public:
  RankedTrack(RankGroup& group, const TrackSpec& spec) : group_(group), tracks_(group.open(spec)) {}
  ~RankedTrack() override {
    try {
      group_.reply("close", group_.send("close", tracks_));
    } catch (const Error&) {  // a lost process has no tracks to close
    }
  }
  void enqueue(int repeats) override {
    under_way_.push_back(group_.send("enqueue", tracks_, {{"repeats", repeats}}));
  }
  void pause(double seconds) override {
    group_.reply("pause", group_.send("pause", tracks_, {{"seconds", seconds}}));
  }
  TrackTiming wait() override {
    const RankGroup::Requests enqueued = std::move(under_way_.front());
    under_way_.pop_front();
    group_.reply("enqueue", enqueued);
    return read_fields<TrackTiming>(group_.reply("wait", group_.send("wait", tracks_)), "reply to wait");
  }

 private:
  RankGroup& group_;
  std::vector<uint64_t> tracks_;
  std::deque<RankGroup::Requests> under_way_;  ///< the enqueues in progress
};

}  // namespace

RankedDevice::RankedDevice(std::shared_ptr<RankedProgram> program, LinkedRank first)
    : group_(std::move(program), std::move(first)) {}

std::unique_ptr<Track> RankedDevice::open(const TrackSpec& spec) {
  return std::make_unique<RankedTrack>(group_, spec);
}

std::vector<std::vector<CollectiveTimes>> RankedDevice::time_collectives_of_all(int repeats) {
  std::vector<std::vector<CollectiveTimes>> times;
  for (const nlohmann::json& reply : group_.call_all("time_collectives", {{"repeats", repeats}}))
    times.push_back(read_fields<CollectiveReplays>(reply, "reply to time_collectives").replays);
  return times;
}

nlohmann::json RankedDevice::call(const char* operation, const nlohmann::json& body) {
  return group_.call(operation, body);
}

nlohmann::json RankedDevice::call_to_record(const char* operation, const nlohmann::json& body) {
  return group_.record(operation, body);
}

}  // namespace kjoule
