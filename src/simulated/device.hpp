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
#include "simulated/program.hpp"
#include "simulated/random.hpp"
#include "simulated/steady.hpp"
#include "simulated/stream.hpp"
#include "simulated/value_tracker.hpp"

namespace kjoule {

/// A Device whose true times and energies are known (truth_of(), energy_truth_of()), for tests of kjoule. It
/// runs in virtual time: all replayed work, timed or not, advances the device's clock. After begin_round(),
/// all results depend only on the round and the clock, bit by bit. The device must outlive its Tracks and
/// meters.
///
/// All work consumes power (SimulatedPower), and the device is idle in between. The governor and the
/// temperature affect only SteadyWork: time and dynamic energy of any other work do not depend on earlier
/// work. The time of SteadyWork depends on the clock that the governor sets, and on the drift of the device's
/// speed.
class SimulatedDevice final : public Device {
 public:
  explicit SimulatedDevice(const SimulatedSpec& spec);

  const DeviceInfo& info() const override { return info_; }
  Recording record() override;
  Verification verify() override;
  /// Returns the true timeline at the device's current speed; virtual time does not advance. Returns nothing
  /// if the device can time between launches: then it simulates a CPU, which keeps no timeline.
  std::optional<Observation> observe() override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  /// Resets noise, cache and chip for the round. For rounds up to 0, the chip gets the temperature at which
  /// it settles when idle; for later rounds, the temperature at which it settles while the whole is repeated.
  void begin_round(int round) override;

  /// Sets the clock and begins the round as on a new device, so that readings of meters that are opened
  /// afterwards also depend only on the round and the clock. Meters that were opened before must not be used
  /// any more.
  void restart(int64_t now_ns, int round);

  VirtualClock& clock() { return clock_; }
  const SimulatedProgram& program() const { return program_; }
  /// Returns the chip, after advancing it to the clock's time with idle power. Does not advance it if the
  /// next work in the queue is SteadyWork that begins without a gap.
  SimulatedChip& chip();
  /// Returns the factor by which work takes longer than its true time at `now_ns`.
  double slowdown(int64_t now_ns) const { return drift_.slowdown(now_ns); }

 private:
  class SimulatedTrack;
  struct TimedWork {
    Sequence sequence;
    /// Whether the program itself runs the work: with its host gaps, and without the launch that fails.
    bool by_host = false;
  };
  struct PacedWork {
    SteadyWork steady;
    double pause_s = 0;
  };
  using Work = std::variant<TimedWork, PacedWork, StampedWork, EmptyKernels>;
  struct Job {
    std::shared_ptr<const Work> work;
    int repeats = 0;
    bool follows_directly = false;  ///< whether it begins when the previous work ends
    bool done = false;
    TrackTiming replayed;
    std::exception_ptr error;
  };

  void replay_oldest();
  TrackTiming replay(const Job& job);
  void replay(const TimedWork& work, int repeats, TrackTiming& replayed);
  void replay(const PacedWork& work, int repeats, TrackTiming& replayed);
  void replay(const StampedWork& work, int repeats, TrackTiming& replayed);
  void replay(const EmptyKernels& work, int repeats, TrackTiming& replayed);
  double replay_segment(const Segment& segment, bool by_host);
  /// The type of operation before a launch: another launch, a drain of the device, or a stamp.
  enum class Predecessor { launch, drain, stamp };
  double replay_noisy_launch(LaunchIndex launch, ValueTracker& values, Predecessor before, bool by_host);
  double advance_by_repeats(const SteadyRepeat& repeat, double repeats);
  double advance_by_paced_repeats(const SteadyRepeat& repeat, double pause_s, int repeats);
  double pass(double seconds);
  int64_t elapsed_until_ns() const;
  void draw();
  void check_launch(LaunchIndex launch) const;
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
  bool is_gpu_;  ///< whether the device simulates a GPU, whose clock cannot be read between launches
  static constexpr LaunchIndex no_launch = ~LaunchIndex{0};
  LaunchIndex fail_;  ///< the launch that fails when it is replayed; no_launch if none fails
  std::shared_ptr<const Work> iteration_;
  int stamped_tracks_ = 0;                  ///< number of StampedWork tracks opened so far
  std::deque<std::shared_ptr<Job>> queue_;  ///< the jobs of all Tracks, in the order of replay

  std::shared_ptr<const Work> last_work_;  ///< the work that was replayed last
  bool continues_ = false;                 ///< whether the current work is the same as the last
  SteadyRepeat repeat_;                    ///< cost of one more repeat, if the work is SteadyWork

  double elapsed_s_ = 0;  ///< time since the clock was set, at the end of the previous work
  double slowdown_ = 1;
  double nonadditive_ = 0;  ///< share by which the current work takes longer than the sum of its launches
  double converged_ = 1;    ///< factor by which the current launch is faster (SimulatedSpec::converged)
  double slowdown_until_s_ = 0;  ///< elapsed time at which the drift is evaluated again
  double dynamic_j_ = 0;         ///< energy, J, that is not yet added to the chip
  double draw_at_s_ = 0;         ///< elapsed time, s, at which dynamic_j_ is added to the chip
};

}  // namespace kjoule
