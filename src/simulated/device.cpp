#include "simulated/device.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "simulated/timeline.hpp"

namespace kjoule {
namespace {

constexpr int64_t enqueue_ns = 15'000;  ///< what the host needs before work starts
constexpr int64_t drift_step_ns = 1 << 17;
constexpr double usual_clock_hz = 1.755e9;

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

/// Keeps its jobs in the device's queue, from which work is played in the order in which it was enqueued.
class SimulatedDevice::SimulatedTrack final : public Track {
 public:
  SimulatedTrack(SimulatedDevice& device, Work work)
      : device_(device), work_(std::make_shared<const Work>(std::move(work))) {}

  void enqueue(int repeats) override {
    auto job = std::make_shared<Job>();
    job->work = work_;
    job->repeats = repeats;
    jobs_.push_back(job);
    device_.queue_.push_back(std::move(job));
  }

  Played wait() override {
    if (jobs_.empty())
      throw DeviceError("waited for work that was not enqueued", "this is a fault in kjoule");
    const std::shared_ptr<Job> job = jobs_.front();
    jobs_.pop_front();
    while (!job->done) device_.play_oldest();
    if (job->error) std::rethrow_exception(job->error);
    return std::move(job->played);
  }

 private:
  SimulatedDevice& device_;
  std::shared_ptr<const Work> work_;
  std::deque<std::shared_ptr<Job>> jobs_;
};

SimulatedDevice::SimulatedDevice(const SimulatedSpec& spec)
    : program_(make_simulated_program(spec)),
      stream_(program_),
      noise_(program_.machine.noise),
      drift_(spec.drift, spec.seed),
      drained_edges_(spec.edges == SimulatedSpec::Edges::draining),
      fail_(spec.fail.value_or(no_launch)),
      iteration_{Sequence{{Segment{{}, in_order(program_.launches.size())}}}, true} {
  info_.description = {{"kind", "simulated"}, {"name", "simulated:" + to_string(spec)}};
  info_.clean_edges = info_.serial_iteration = !drained_edges_;
  info_.keeps_timeline = drained_edges_;
  info_.runs_program = true;
  noise_.reseed(mix(spec.seed));
}

Recording SimulatedDevice::record() {
  if (program_.spec.differ)
    throw Error(
        fmt::format("the program's iterations differ, first at launch {}", program_.launches.size() / 2),
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
  if (const auto fail = program_.spec.fail)
    result.failed.emplace_back(*fail, fmt::format("asked for by fail={}", *fail));
  return result;
}

std::optional<Observation> SimulatedDevice::observe() {
  check_alive();
  if (!drained_edges_) return std::nullopt;
  return observation_of(program_, slowdown(clock_.now_ns()), clock_.now_ns());
}

std::unique_ptr<Track> SimulatedDevice::open(const TrackSpec& spec) {
  check_alive();
  if (std::holds_alternative<Overlapped>(spec)) throw Error("a simulated device has one stream");
  if (std::holds_alternative<Steady>(spec)) throw Error("a simulated device plays nothing for meters yet");
  if (std::holds_alternative<Iteration>(spec)) return std::make_unique<SimulatedTrack>(*this, iteration_);
  Sequence sequence = std::get<Sequence>(spec);
  check(sequence);
  return std::make_unique<SimulatedTrack>(*this, Work{std::move(sequence), false});
}

void SimulatedDevice::check(const Sequence& sequence) const {
  for (const Segment& segment : sequence.segments)
    for (const auto* part : {&segment.lead, &segment.timed})
      for (const LaunchIndex launch : *part)
        if (launch >= program_.launches.size())
          throw DeviceError(fmt::format("launch {} was asked for, but the recording has {}", launch,
                                        program_.launches.size()),
                            "this is a fault in kjoule", launch);
}

void SimulatedDevice::check_alive() const {
  if (program_.spec.crash && static_cast<double>(clock_.now_ns()) * 1e-9 + elapsed_s_ >= *program_.spec.crash)
    throw DeviceError(fmt::format("the simulated device was lost after {} s", *program_.spec.crash),
                      "leave crash= out of its SPEC, or --resume without it", {}, true);
}

void SimulatedDevice::begin_round(int round) {
  while (!queue_.empty()) play_oldest();  // given up on by who enqueued it
  noise_.reseed(mix(program_.spec.seed, 0x70d, static_cast<uint64_t>(round)));
  stream_.reset();
  play(iteration_, 1);
}

void SimulatedDevice::play_oldest() {
  const std::shared_ptr<Job> job = queue_.front();
  queue_.pop_front();
  try {
    job->played = play(*job->work, job->repeats);
  } catch (const DeviceError&) {
    job->error = std::current_exception();
  }
  job->done = true;
}

Played SimulatedDevice::play(const Work& work, int repeats) {
  check_alive();
  clock_.advance_ns(enqueue_ns);
  slowdown_until_s_ = 0;
  Played played;
  played.begin_ns = clock_.now_ns();
  played.seconds.reserve(work.sequence.segments.size() * static_cast<size_t>(repeats));
  try {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      for (const Segment& segment : work.sequence.segments)
        played.seconds.push_back(play_segment(segment, work.by_host));
      if (drained_edges_) played.clock_hz.push_back(usual_clock_hz / slowdown_);
      check_alive();
    }
  } catch (const DeviceError&) {
    end_work();
    throw;
  }
  end_work();
  played.end_ns = clock_.now_ns();
  return played;
}

/// The clock counts whole nanoseconds; what is left over is forgotten, so that the clock alone says what
/// comes next.
void SimulatedDevice::end_work() {
  clock_.advance_ns(std::llround(elapsed_s_ * 1e9));
  elapsed_s_ = 0;
}

double SimulatedDevice::play_segment(const Segment& segment, bool by_host) {
  for (const LaunchIndex launch : segment.lead) play_launch(launch, false, by_host);
  if (segment.timed.empty()) return drained_edges_ ? pass(stream_.drained_s()) : 0;
  double timed_s = 0;
  bool drained = drained_edges_;
  for (const LaunchIndex launch : segment.timed) {
    timed_s += play_launch(launch, drained, by_host);
    drained = false;
  }
  return timed_s;
}

double SimulatedDevice::play_launch(LaunchIndex launch, bool drained, bool by_host) {
  const double launch_s = drained ? stream_.play_drained(launch) : stream_.play(launch);
  if (by_host) return pass(launch_s + program_.launches[launch].host_gap_s);
  if (launch == fail_)
    throw DeviceError(
        fmt::format("launch {} ({}) failed, as fail= asks for", launch, program_.launches[launch].name),
        "leave fail= out of the simulated device's SPEC", launch);
  return pass(launch_s);
}

/// Lets noisy, drifting time pass for what should take `seconds`; returns the seconds that it took.
double SimulatedDevice::pass(double seconds) {
  if (elapsed_s_ >= slowdown_until_s_) {
    const int64_t begin_ns = clock_.now_ns();
    const int64_t step = (begin_ns + static_cast<int64_t>(elapsed_s_ * 1e9)) / drift_step_ns;
    slowdown_ = drift_.slowdown(step * drift_step_ns);
    slowdown_until_s_ = static_cast<double>((step + 1) * drift_step_ns - begin_ns) * 1e-9;
  }
  const double took_s = seconds * noise_.factor() * slowdown_;
  elapsed_s_ += took_s;
  return took_s;
}

}  // namespace kjoule
