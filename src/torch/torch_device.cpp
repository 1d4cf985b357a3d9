#include "torch/torch_device.hpp"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <deque>

#include "base/clock.hpp"
#include "torch/describe.hpp"
#include "torch/failure.hpp"
#include "torch/player.hpp"
#include "torch/recorder.hpp"

namespace kjoule::runner {

namespace {

/// Runs before recording: the interpreter changes a module's graph in its first runs, and the operators are
/// the same in all later ones.
constexpr int kRunsBeforeRecording = 3;

/// A Track that replays its work in wait(), because replaying it in the background has no benefit on the CPU.
template <typename PlayOnce>
class CpuTrack final : public Track {
 public:
  explicit CpuTrack(PlayOnce play_once) : play_once_(std::move(play_once)) {}
  void enqueue(int repeats) override { asked_.push_back(repeats); }
  TrackTiming wait() override {
    const int repeats = asked_.front();
    asked_.pop_front();
    TrackTiming played;
    played.begin_ns = clock_.now_ns();
    for (int i = 0; i < repeats; ++i) play_once_(played.seconds);
    played.end_ns = clock_.now_ns();
    return played;
  }

 private:
  PlayOnce play_once_;
  SteadyClock clock_;
  std::deque<int> asked_;
};

template <typename PlayOnce>
std::unique_ptr<Track> cpu_track(PlayOnce play_once) {
  return std::make_unique<CpuTrack<PlayOnce>>(std::move(play_once));
}

Sequence in_one_stretch(const SteadyWork& work) {
  if (work.only.empty()) throw Error("iterations on the CPU are not played for meters yet");
  Segment stretch;
  for (int i = 0; i < work.plain; ++i)
    stretch.timed.insert(stretch.timed.end(), work.only.begin(), work.only.end());
  return {{std::move(stretch)}};
}

void run_timed(Model& model, std::vector<double>& seconds) {
  const SteadyClock clock;
  const int64_t begin = clock.now_ns();
  try {
    model.run();
  } catch (const std::exception& error) {
    throw DeviceError("the model threw while running: " + reason(error),
                      is_out_of_memory(error) ? kNeedLessMemory : "run it in PyTorch to see why", {}, true);
  }
  seconds.push_back(static_cast<double>(clock.now_ns() - begin) * 1e-9);
}

Sequence alone(LaunchIndex launch) {
  return {{Segment{{}, {launch}}}};
}

Sequence in_order(size_t launches) {
  Segment all;
  for (LaunchIndex i = 0; i < launches; ++i) all.timed.push_back(i);
  return {{all}};
}

}  // namespace

TorchDevice::TorchDevice(std::unique_ptr<Model> model) : model_(std::move(model)) {
  info_.description = {{"kind", "cpu"},
                       {"threads", at::get_num_threads()},
                       {"torch", TORCH_VERSION},
                       {"capability", at::get_cpu_capability()}};
  info_.clean_edges = true;
  info_.serial_iteration = true;
  info_.runs_program = true;
  info_.recordable = model_->operators_visible();
}

Recording TorchDevice::record() {
  if (!model_->operators_visible())
    throw Error(
        "an AOTInductor package calls compiled code past the dispatcher: on the CPU its parts cannot be seen",
        "kjoule full times the whole; export it as .pt to compare");
  for (int i = 0; i < kRunsBeforeRecording; ++i) model_->run();
  program_ = record_program([this] { model_->run(); });
  if (program_.calls.empty()) throw Error("the model calls no ATen operator", "nothing to replay");
  Recording recording{model_->description(), info_.description, {}};
  KernelRules rules;
  for (const RecordedCall& call : program_.calls)
    recording.launches.push_back(
        {operator_name(call.op), tier_of(call.op, rules), call.signature, call.detail});
  return recording;
}

Verification TorchDevice::verify() {
  need_recording();
  Verification result;
  result.launches = static_cast<int>(program_.calls.size());
  std::set<LaunchIndex> different;
  const auto inspect = [&](LaunchIndex launch, const std::vector<at::Tensor>& shown) {
    const std::vector<uint64_t>& expected = program_.calls[launch].hashes;
    for (size_t i = 0; i < expected.size(); ++i)
      if (expected[i] != 0 && content_hash(shown[i]) != expected[i]) different.insert(launch);
  };
  const auto play = [&](const Sequence& sequence) {
    try {
      Player(program_, sequence).inspect(inspect);
    } catch (const DeviceError& error) {
      if (error.lost) throw;
      result.failed.emplace_back(error.launch.value_or(0), error.what());
    }
  };
  play(in_order(program_.calls.size()));
  for (LaunchIndex i = 0; i < program_.calls.size(); ++i) play(alone(i));
  result.different.assign(different.begin(), different.end());
  return result;
}

std::unique_ptr<Track> TorchDevice::open(const TrackSpec& spec) {
  if (std::holds_alternative<OverlappedIteration>(spec)) throw Error("operators on the CPU do not overlap");
  if (std::holds_alternative<StampedWork>(spec) || std::holds_alternative<EmptyKernels>(spec))
    throw Error("operators on the CPU cannot be stamped", "this is a fault in kjoule");
  if (const auto* steady = std::get_if<SteadyWork>(&spec)) return open(in_one_stretch(*steady));
  if (std::holds_alternative<Iteration>(spec))
    return cpu_track([this](std::vector<double>& seconds) { run_timed(*model_, seconds); });
  need_recording();
  for (const Segment& segment : std::get<Sequence>(spec).segments)
    for (const auto* launches : {&segment.lead, &segment.timed})
      for (const LaunchIndex launch : *launches)
        if (launch >= program_.calls.size()) throw Error("a sequence names a launch that was not recorded");
  auto player = std::make_shared<Player>(program_, std::get<Sequence>(spec));
  return cpu_track([player](std::vector<double>& seconds) { player->play(seconds); });
}

void TorchDevice::need_recording() const {
  if (program_.calls.empty()) throw Error("nothing has been recorded yet");
}

}  // namespace kjoule::runner
