#pragma once
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "device/device.hpp"
#include "simulated/chip.hpp"
#include "simulated/met_values.hpp"
#include "simulated/program.hpp"
#include "simulated/random.hpp"
#include "simulated/steady.hpp"
#include "simulated/stream.hpp"

namespace kjoule {

/// A Device with known truth (truth_of), in virtual time: whatever is played, timed or not, moves its clock.
/// After begin_round, all that it does depends on the round and the clock alone, bit by bit.
/// It must outlive its Tracks and meters.
///
/// Whatever it does draws power (SimulatedPower), and it idles in between. Its governor and its temperature
/// act on Steady work alone: other work takes the same time and dynamic energy whatever came before. Steady
/// work's time also drifts with its speed, but its clock is the governor's.
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
  /// Leaves the chip rested: cold for the first round and before, as warm as the whole makes it for later
  /// ones.
  void begin_round(int round) override;

  VirtualClock& clock() { return clock_; }
  const SimulatedProgram& program() const { return program_; }
  /// The chip, idle until the clock's time unless Steady work that follows on what was played has begun
  /// before.
  SimulatedChip& chip();
  /// How much slower than its truth the device is at that time.
  double slowdown(int64_t now_ns) const { return drift_.slowdown(now_ns); }

 private:
  class SimulatedTrack;
  struct TimedWork {
    Sequence sequence;
    bool by_host = false;  ///< with the host's gaps; nothing fails, as the program itself runs it
  };
  struct SteadyWork {
    Steady steady;
    double pause_s = 0;
  };
  using Work = std::variant<TimedWork, SteadyWork, Stamped, EmptyKernels>;
  struct Job {
    std::shared_ptr<const Work> work;
    int repeats = 0;
    bool at_once = false;  ///< begins when the work before it ends
    bool done = false;
    Played played;
    std::exception_ptr error;
  };

  void play_oldest();
  Played play(const Job& job);
  void play(const TimedWork& work, int repeats, Played& played);
  void play(const SteadyWork& work, int repeats, Played& played);
  void play(const Stamped& work, int repeats, Played& played);
  void play(const EmptyKernels& work, int repeats, Played& played);
  double play_segment(const Segment& segment, bool by_host);
  /// What comes before a launch.
  enum class Before { launch, drain, stamp };
  double play_launch(LaunchIndex launch, MetValues& values, Before before, bool by_host);
  double play_repeats(const SteadyRepeat& repeat, double repeats);
  double pass(double seconds);
  int64_t elapsed_until_ns() const;
  void draw();
  void refuse_failing(LaunchIndex launch) const;
  void check(const std::vector<LaunchIndex>& launches) const;
  void check_alive() const;
  void end_work(int64_t host_ns);

  SimulatedProgram program_;
  DeviceInfo info_;
  VirtualClock clock_;
  SimulatedStream stream_;
  SimulatedChip chip_;
  ParetoNoise noise_;
  SpeedDrift drift_;
  bool drained_edges_;
  static constexpr LaunchIndex no_launch = ~LaunchIndex{0};
  LaunchIndex fail_;  ///< throws when it is replayed; no_launch: none does
  std::shared_ptr<const Work> iteration_;
  int stamped_tracks_ = 0;                  ///< opened so far
  std::deque<std::shared_ptr<Job>> queue_;  ///< as the device will play them, whichever Track is waited for

  std::shared_ptr<const Work> played_;  ///< last
  bool goes_on_ = false;                ///< with the same work
  SteadyRepeat repeat_;                 ///< of it, when it is Steady: what one more takes

  double elapsed_s_ = 0;  ///< since the clock was last set; the clock itself moves when work ends
  double slowdown_ = 1;
  double nonadditive_ = 0;       ///< by what share the work under way takes longer than its launches
  double slowdown_until_s_ = 0;  ///< drift is looked up anew when that much has elapsed
  double dynamic_j_ = 0;         ///< that the chip has yet to draw
  double draw_at_s_ = 0;         ///< it does when that much has elapsed
};

}  // namespace kjoule
