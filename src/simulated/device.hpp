#pragma once
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "play/device.hpp"
#include "simulated/program.hpp"
#include "simulated/random.hpp"
#include "simulated/stream.hpp"

namespace kjoule {

/// A Device with known truth (truth_of), in virtual time: whatever is played, timed or not, moves its clock.
/// After begin_round, all that it does depends on the round and the clock alone, bit by bit.
/// It must outlive its Tracks.
class SimulatedDevice final : public Device {
 public:
  explicit SimulatedDevice(const SimulatedSpec& spec);

  const DeviceInfo& info() const override { return info_; }
  Recording record() override;
  Verification verify() override;
  /// From the truth, as slow as the device is now; no time passes. Nothing where edges are clean: that is a
  /// CPU, which keeps no timeline.
  std::optional<Observation> observe() override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  void begin_round(int round) override;

  VirtualClock& clock() { return clock_; }
  const SimulatedProgram& program() const { return program_; }
  /// How much slower than its truth the device is at that time.
  double slowdown(int64_t now_ns) const { return drift_.slowdown(now_ns); }

 private:
  class SimulatedTrack;
  struct Work {
    Sequence sequence;
    bool by_host = false;  ///< with the host's gaps; nothing fails, as the program itself runs it
  };
  struct Job {
    std::shared_ptr<const Work> work;
    int repeats = 0;
    bool done = false;
    Played played;
    std::exception_ptr error;
  };

  void play_oldest();
  Played play(const Work& work, int repeats);
  double play_segment(const Segment& segment, bool by_host);
  double play_launch(LaunchIndex launch, bool drained, bool by_host);
  double pass(double seconds);
  void check(const Sequence& sequence) const;
  void check_alive() const;
  void end_work();

  SimulatedProgram program_;
  DeviceInfo info_;
  VirtualClock clock_;
  SimulatedStream stream_;
  ParetoNoise noise_;
  SpeedDrift drift_;
  bool drained_edges_;
  static constexpr LaunchIndex no_launch = ~LaunchIndex{0};
  LaunchIndex fail_;  ///< throws in a Sequence; no_launch: none does
  Work iteration_;
  std::deque<std::shared_ptr<Job>> queue_;  ///< as the device will play them, whichever Track is waited for

  double elapsed_s_ = 0;  ///< since the clock was last set; the clock itself moves when work ends
  double slowdown_ = 1;
  double slowdown_until_s_ = 0;  ///< drift is looked up anew when that much has elapsed
};

}  // namespace kjoule
