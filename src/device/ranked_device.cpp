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

RankedDevice::RankedDevice(std::shared_ptr<InjectedProgram> program) : group_(std::move(program)) {}

const DeviceInfo& RankedDevice::info() const {
  return group_.info();
}

Recording RankedDevice::record() {
  return read_fields<Recording>(group_.record("record", nlohmann::json::object()), "reply to record");
}

std::optional<Recording> RankedDevice::record_window(const WindowSearch& search) {
  const nlohmann::json recording = group_.record("record_window", {{"search", write_fields(search)}});
  if (recording.is_null()) return std::nullopt;
  return read_fields<Recording>(recording, "reply to record_window");
}

Verification RankedDevice::verify() {
  return read_fields<Verification>(group_.call("verify"), "reply to verify");
}

std::unique_ptr<Track> RankedDevice::open(const TrackSpec& spec) {
  return std::make_unique<RankedTrack>(group_, spec);
}

std::optional<Observation> RankedDevice::observe() {
  const nlohmann::json observation = group_.call("observe");
  if (observation.is_null()) return std::nullopt;
  return read_fields<Observation>(observation, "reply to observe");
}

std::string RankedDevice::leave() {
  return group_.call("leave").get<std::string>();
}

void RankedDevice::stop_observing() {
  group_.call("stop_observing");
}

void RankedDevice::begin_round(int round) {
  group_.call("begin_round", {{"round", round}});
}

const std::vector<RecordedRank>& RankedDevice::ranks() const {
  return group_.ranks();
}

void RankedDevice::use_as(size_t rank) {
  group_.use_as(rank);
}

}  // namespace kjoule
