#include "simulated/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/bug_remedy.hpp"
#include "simulated/timeline.hpp"

namespace kjoule {
namespace {

constexpr int64_t enqueue_ns = 15'000;  ///< host time from the enqueue to the begin of the work
constexpr int64_t drift_step_ns = 1 << 17;
constexpr double usual_clock_hz = 1.755e9;
constexpr double power_step_s = 1e-3;
constexpr double empty_kernel_s = 1e-6, restoring_s = 2e-5;
/// Largest number of stamps in StampedWork that the option `nonadditive` does not affect.
constexpr size_t additive_stamps = 3;
/// Number of StampedWork tracks after which the option `distortion` applies.
constexpr int harmless_tracks = 4;

std::vector<LaunchIndex> in_order(size_t launches) {
  std::vector<LaunchIndex> order(launches);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

nlohmann::json ranges_json(const std::vector<ByteRange>& ranges) {
  auto json = nlohmann::json::array();
  for (const ByteRange& range : ranges) json.push_back({range.begin, range.end});
  return json;
}

}  // namespace

/// A track. Its jobs are in the device's queue, so that the work of all tracks is replayed in the order of
/// enqueues.
class SimulatedDevice::SimulatedTrack final : public Track {
 public:
  SimulatedTrack(SimulatedDevice& device, std::shared_ptr<const Work> work)
      : device_(device), work_(std::move(work)) {}

  void enqueue(int repeats) override {
    auto job = std::make_shared<Job>();
    job->work = work_;
    job->repeats = repeats;
    job->follows_directly =
        is_steady(*work_) && !device_.queue_.empty() && is_steady(*device_.queue_.back()->work);
    jobs_.push_back(job);
    device_.queue_.push_back(std::move(job));
  }

  void pause(double seconds) override {
    const auto* work = std::get_if<PacedWork>(work_.get());
    if (work == nullptr || !work->steady.may_pause) return Track::pause(seconds);
    work_ = std::make_shared<const Work>(PacedWork{work->steady, seconds});
  }

  TrackTiming wait() override {
    if (jobs_.empty()) throw DeviceError("waited for work that was not enqueued", kBugRemedy);
    const std::shared_ptr<Job> job = jobs_.front();
    jobs_.pop_front();
    while (!job->done) device_.replay_oldest();
    if (job->error) std::rethrow_exception(job->error);
    return std::move(job->replayed);
  }

 private:
  static bool is_steady(const Work& work) { return std::holds_alternative<PacedWork>(work); }

  SimulatedDevice& device_;
  std::shared_ptr<const Work> work_;
  std::deque<std::shared_ptr<Job>> jobs_;
};

SimulatedDevice::SimulatedDevice(const SimulatedSpec& spec)
    : program_(make_simulated_program(spec)),
      stream_(program_),
      chip_(program_.power),
      noise_(program_.machine.noise),
      drift_(spec.drift, spec.seed),
      is_gpu_(!spec.can_time_between_launches),
      fail_(spec.fail.value_or(no_launch)),
      iteration_(std::make_shared<const Work>(
          TimedWork{Sequence{{Segment{{}, in_order(program_.launches.size())}}}, true})) {
  info_.description = {{"kind", "simulated"}, {"name", "simulated:" + to_string(spec)}};
  info_.can_time_between_launches = !is_gpu_;
  info_.keeps_timeline = is_gpu_;
  info_.runs_program = true;
  noise_.reseed(mix(spec.seed));
}

Recording SimulatedDevice::record() {
  if (program_.spec.differ)
    throw Error(fmt::format("the simulated program's iterations differ, first at launch {}",
                            program_.launches.size() / 2),
                "leave differ=on out of the simulated device's SPEC");
  check_alive();
  Recording recording{.program = {{"kind", "simulated"},
                                  {"spec", to_string(program_.spec)},
                                  {"seed", program_.spec.seed},
                                  {"launches", program_.launches.size()},
                                  {"footprint_bytes", program_.footprint_bytes()}},
                      .device = info_.description,
                      .launches = {}};
  const std::vector<EagerLaunch> eager = eager_iteration(program_);
  for (size_t i = 0; i < program_.launches.size(); ++i) {
    const SimulatedLaunch& launch = program_.launches[i];
    recording.launches.push_back({.name = launch.name,
                                  .tier = launch.tier,
                                  .signature = launch.signature,
                                  .detail = {{"reads", ranges_json(launch.reads)},
                                             {"writes", ranges_json(launch.writes)},
                                             {"flops", launch.flops},
                                             {"stream", eager[i].stream}}});
  }
  return recording;
}

Verification SimulatedDevice::verify() {
  check_alive();
  Verification result;
  result.launches = static_cast<int>(program_.launches.size());
  result.changes_inputs = program_.spec.converged != 1;
  if (const auto fail = program_.spec.fail)
    result.failed.emplace_back(*fail, fmt::format("requested by fail={}", *fail));
  return result;
}

std::optional<Observation> SimulatedDevice::observe() {
  check_alive();
  if (!is_gpu_) return std::nullopt;
  return observation_of(program_, slowdown(clock_.now_ns()), clock_.now_ns());
}

std::unique_ptr<Track> SimulatedDevice::open(const TrackSpec& spec) {
  check_alive();
  if (std::holds_alternative<OverlappedIteration>(spec))
    throw Error("a simulated device has only one stream");
  if (std::holds_alternative<Iteration>(spec)) return std::make_unique<SimulatedTrack>(*this, iteration_);
  Work work;
  if (const auto* steady = std::get_if<SteadyWork>(&spec)) {
    check(steady->marked), check(steady->only);
    work = PacedWork{*steady};
  } else if (const auto* stamped = std::get_if<StampedWork>(&spec)) {
    std::vector<LaunchIndex> launches = stamped->launches;
    std::erase(launches, program_.launches.size());  // stands for restoring memory
    check(launches);
    ++stamped_tracks_;
    work = *stamped;
  } else if (const auto* empty = std::get_if<EmptyKernels>(&spec)) {
    work = *empty;
  } else {
    if (is_gpu_) throw Error("a GPU's launches are timed by stamps", kBugRemedy);
    const auto& sequence = std::get<Sequence>(spec);
    for (const Segment& segment : sequence.segments) check(segment.lead), check(segment.timed);
    work = TimedWork{sequence, false};
  }
  return std::make_unique<SimulatedTrack>(*this, std::make_shared<const Work>(std::move(work)));
}

void SimulatedDevice::check(const std::vector<LaunchIndex>& launches) const {
  for (const LaunchIndex launch : launches)
    if (launch >= program_.launches.size())
      throw DeviceError(
          fmt::format("launch {} was requested, but the recording has {}", launch, program_.launches.size()),
          kBugRemedy, launch);
}

void SimulatedDevice::check_alive() const {
  if (program_.spec.crash && static_cast<double>(clock_.now_ns()) * 1e-9 + elapsed_s_ >= *program_.spec.crash)
    throw DeviceError(fmt::format("the simulated device was lost after {} s", *program_.spec.crash),
                      "repeat the command with --resume, without crash= in the SPEC", {}, true);
}

void SimulatedDevice::begin_round(int round) {
  while (!queue_.empty()) replay_oldest();  // work for which wait() will not be called
  noise_.reseed(mix(program_.spec.seed, 0x70d, static_cast<uint64_t>(round)));
  stream_.reset();
  chip_.idle_until(clock_.now_ns());
  chip_.rest(round > 0 ? program_.power.warm_c : program_.power.cold_c);
  Job iteration;
  iteration.work = iteration_;
  iteration.repeats = 1;
  replay(iteration);
}

void SimulatedDevice::restart(int64_t now_ns, int round) {
  while (!queue_.empty()) replay_oldest();
  clock_.set_ns(now_ns);
  chip_.restart_at(now_ns);
  begin_round(round);
}

SimulatedChip& SimulatedDevice::chip() {
  if (queue_.empty() || !queue_.front()->follows_directly) chip_.idle_until(clock_.now_ns());
  return chip_;
}

void SimulatedDevice::replay_oldest() {
  const std::shared_ptr<Job> job = queue_.front();
  queue_.pop_front();
  try {
    job->replayed = replay(*job);
  } catch (const DeviceError&) {
    job->error = std::current_exception();
  }
  job->done = true;
}

TrackTiming SimulatedDevice::replay(const Job& job) {
  check_alive();
  const int64_t host_ns = clock_.now_ns();
  if (job.follows_directly)
    clock_.set_ns(chip_.now_ns());  // the work began before the host called wait()
  else
    clock_.advance_ns(enqueue_ns);
  chip_.idle_until(clock_.now_ns());
  slowdown_until_s_ = 0;
  nonadditive_ = 0;
  continues_ = last_work_ == job.work;
  last_work_ = job.repeats > 0 ? job.work : nullptr;
  TrackTiming replayed;
  replayed.begin_ns = clock_.now_ns();
  try {
    std::visit([&](const auto& work) { replay(work, job.repeats, replayed); }, *job.work);
  } catch (const DeviceError&) {
    last_work_.reset();
    end_work(host_ns);
    throw;
  }
  end_work(host_ns);
  replayed.end_ns = chip_.now_ns();
  return replayed;
}

void SimulatedDevice::replay(const TimedWork& work, int repeats, TrackTiming& replayed) {
  replayed.seconds.reserve(work.sequence.segments.size() * static_cast<size_t>(repeats));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const Segment& segment : work.sequence.segments)
      replayed.seconds.push_back(replay_segment(segment, work.by_host));
    if (is_gpu_) replayed.clock_hz.push_back(usual_clock_hz / slowdown_);
    check_alive();
  }
}

void SimulatedDevice::replay(const StampedWork& work, int repeats, TrackTiming& replayed) {
  if (work.stamped_after.size() > additive_stamps) nonadditive_ = program_.spec.nonadditive;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    ValueTracker values(program_.launches.size());
    auto stamp = work.stamped_after.begin();
    Predecessor before = Predecessor::launch;
    double since_stamp_s = 0;
    bool is_restored = true;
    for (size_t place = 0; place < work.launches.size(); ++place) {
      const LaunchIndex launch = work.launches[place];
      const bool restores = launch == program_.launches.size();
      if (launch == 0) converged_ = is_restored ? 1 : program_.spec.converged;
      if (restores) converged_ = 1;
      is_restored = restores;
      since_stamp_s += restores ? pass(restoring_s) : replay_noisy_launch(launch, values, before, false);
      before = Predecessor::launch;
      if (stamp == work.stamped_after.end() || *stamp != place) continue;
      if (stamp != work.stamped_after.begin()) replayed.seconds.push_back(since_stamp_s);
      since_stamp_s = 0;
      before = Predecessor::stamp;
      ++stamp;
    }
    converged_ = 1;
    replayed.clock_hz.push_back(usual_clock_hz / slowdown_);
    check_alive();
  }
}

void SimulatedDevice::replay(const EmptyKernels& work, int repeats, TrackTiming& replayed) {
  for (int repeat = 0; repeat < repeats; ++repeat) {
    double seconds = 0;
    for (int kernel = 0; kernel < work.count; ++kernel) seconds += pass(empty_kernel_s);
    replayed.seconds.push_back(seconds);
    replayed.clock_hz.push_back(usual_clock_hz / slowdown_);
    check_alive();
  }
}

void SimulatedDevice::replay(const PacedWork& steady, int repeats, TrackTiming& replayed) {
  SteadyWork work = steady.steady;
  const double pause_s = work.only.empty() ? 0 : steady.pause_s;  // other repeats contain their pauses
  if (pause_s > 0) repeats *= std::exchange(work.plain, 1);
  const bool fails_marked = std::ranges::find(work.marked, fail_) != work.marked.end();
  if (work.plain > 0 || (!work.marked.empty() && !(work.left_out && fails_marked))) check_launch(fail_);
  double cycles = 0;
  if (!continues_ && repeats > 0) {
    const auto launches = static_cast<LaunchIndex>(program_.launches.size());
    cycles +=
        advance_by_paced_repeats(replay_steady_repeat(stream_, launches, work, steady.pause_s), pause_s, 1);
    // The second repeat finds the caches as the first one left them. All later repeats do, too, so they cost
    // the same.
    repeat_ = replay_steady_repeat(stream_, launches, work, steady.pause_s);
    --repeats;
  }
  cycles += advance_by_paced_repeats(repeat_, pause_s, repeats);
  replayed.seconds = {elapsed_s_};
  if (is_gpu_) replayed.clock_hz = {elapsed_s_ > 0 ? cycles / elapsed_s_ : chip_.clock_hz()};
}

/// Sets the clock to the end of the work, in whole nanoseconds. The remainder is dropped, so that later work
/// depends only on the clock. The clock is not set back if the host calls after the end of the work.
void SimulatedDevice::end_work(int64_t host_ns) {
  draw();
  clock_.set_ns(std::max(host_ns, elapsed_until_ns()));
  elapsed_s_ = draw_at_s_ = 0;
}

double SimulatedDevice::replay_segment(const Segment& segment, bool by_host) {
  ValueTracker values(program_.launches.size());
  for (const LaunchIndex launch : segment.lead)
    replay_noisy_launch(launch, values, Predecessor::launch, by_host);
  double timed_s = 0;
  Predecessor before = is_gpu_ ? Predecessor::drain : Predecessor::launch;
  for (const LaunchIndex launch : segment.timed) {
    timed_s += replay_noisy_launch(launch, values, before, by_host);
    before = Predecessor::launch;
  }
  return timed_s;
}

double SimulatedDevice::replay_noisy_launch(LaunchIndex launch, ValueTracker& values, Predecessor before,
                                            bool by_host) {
  const SimulatedStream::Parts parts = before == Predecessor::drain   ? stream_.replay_drained(launch)
                                       : before == Predecessor::stamp ? stream_.replay_after_stamp(launch)
                                                                      : stream_.replay_launch(launch);
  if (!by_host) check_launch(launch);
  dynamic_j_ += values.share(launch) * parts.dynamic_j();
  const double took_s =
      pass(by_host ? parts.total_s() + program_.launches[launch].host_gap_s : parts.total_s());
  if (elapsed_s_ >= draw_at_s_) draw();
  return took_s;
}

void SimulatedDevice::check_launch(LaunchIndex launch) const {
  if (launch == fail_ && fail_ != no_launch)
    throw DeviceError(
        fmt::format("launch {} ({}) failed, as requested by fail=", launch, program_.launches[launch].name),
        "leave fail= out of the simulated device's SPEC", launch);
}

/// Advances time by identical repeats, in steps with constant clock, drift and power. Returns the number of
/// clock cycles.
double SimulatedDevice::advance_by_repeats(const SteadyRepeat& repeat, double repeats) {
  double cycles = 0, factor = 1, factor_until = repeats;
  for (double left = repeats; left > 0;) {
    const double clock_hz = chip_.clock_hz();
    const double clock = clock_hz / SimulatedPower::highest_hz;
    const double repeat_s = repeat.seconds(clock) * drift_.slowdown(elapsed_until_ns());
    const double in_step = power_step_s / repeat_s;
    if (left <= factor_until) {  // not within a repeat, which would then have two noise factors
      const double alike = std::max(1.0, std::min(in_step, left));
      factor = noise_.mean_factor(repeat.spread() / std::sqrt(alike));
      factor_until = left - alike;
    }
    const double share = std::min(left, in_step);
    const double took_s = share * repeat_s * factor;
    left -= share;
    elapsed_s_ += took_s;
    cycles += took_s * clock_hz;
    chip_.draw_governed_until(elapsed_until_ns(), share * repeat.dynamic_j(clock));
    check_alive();
  }
  return cycles;
}

/// Advances time like advance_by_repeats(), with a pause before each repeat if `pause_s` is above 0. Power is
/// added to the chip separately for pauses and repeats, so that a sensor that samples the power finds one or
/// the other.
double SimulatedDevice::advance_by_paced_repeats(const SteadyRepeat& repeat, double pause_s, int repeats) {
  if (!(pause_s > 0)) return advance_by_repeats(repeat, repeats);
  double cycles = 0;
  for (int i = 0; i < repeats; ++i) {
    cycles += pause_s * chip_.clock_hz();
    elapsed_s_ += pause_s;
    chip_.draw_governed_until(elapsed_until_ns(), 0);
    cycles += advance_by_repeats(repeat, 1);
  }
  return cycles;
}

/// Returns the time in ns at which the work so far ends.
int64_t SimulatedDevice::elapsed_until_ns() const {
  return clock_.now_ns() + std::llround(elapsed_s_ * 1e9);
}

/// Adds the energy of the work since the last call to the chip.
void SimulatedDevice::draw() {
  chip_.draw_until(elapsed_until_ns(), dynamic_j_);
  dynamic_j_ = 0;
  draw_at_s_ = elapsed_s_ + power_step_s;
}

/// Advances time for work whose true time is `seconds`, with noise and drift. Returns the time that it took,
/// in s.
double SimulatedDevice::pass(double seconds) {
  if (elapsed_s_ >= slowdown_until_s_) {
    const int64_t begin_ns = clock_.now_ns();
    const int64_t step = (begin_ns + static_cast<int64_t>(elapsed_s_ * 1e9)) / drift_step_ns;
    slowdown_ = drift_.slowdown(step * drift_step_ns);
    if (stamped_tracks_ > harmless_tracks) slowdown_ *= 1 + program_.spec.distortion;
    slowdown_until_s_ = static_cast<double>((step + 1) * drift_step_ns - begin_ns) * 1e-9;
  }
  const double took_s = seconds * noise_.factor() * slowdown_ * (1 + nonadditive_) / converged_;
  elapsed_s_ += took_s;
  return took_s;
}

}  // namespace kjoule
