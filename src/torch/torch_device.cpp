#include "torch/torch_device.hpp"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <deque>

#include "base/bug_remedy.hpp"
#include "base/clock.hpp"
#include "torch/describe.hpp"
#include "torch/failure.hpp"
#include "torch/recorder.hpp"
#include "torch/sequence_replayer.hpp"

namespace kjoule::runner {

namespace {

/// Number of runs before recording. The interpreter changes a module's graph in its first runs; in all later
/// runs the operators are the same.
constexpr int kRunsBeforeRecording = 3;

/// A Track that replays its work within wait(), because replaying in the background has no benefit on the
/// CPU.
template <typename ReplayOnce>
class CpuTrack final : public Track {
 public:
  explicit CpuTrack(ReplayOnce replay_once) : replay_once_(std::move(replay_once)) {}
  void enqueue(int repeats) override { requested_repeats_.push_back(repeats); }
  TrackTiming wait() override {
    const int repeats = requested_repeats_.front();
    requested_repeats_.pop_front();
    TrackTiming replayed;
    replayed.begin_ns = clock_.now_ns();
    for (int i = 0; i < repeats; ++i) replay_once_(replayed.seconds);
    replayed.end_ns = clock_.now_ns();
    return replayed;
  }

 private:
  ReplayOnce replay_once_;
  SteadyClock clock_;
  std::deque<int> requested_repeats_;
};

template <typename ReplayOnce>
std::unique_ptr<Track> cpu_track(ReplayOnce replay_once) {
  return std::make_unique<CpuTrack<ReplayOnce>>(std::move(replay_once));
}

void run_timed(Model& model, std::vector<double>& seconds) {
  const SteadyClock clock;
  const int64_t begin = clock.now_ns();
  try {
    model.run();
  } catch (const std::exception& error) {
    throw DeviceError("the model failed while it ran: " + reason(error),
                      is_out_of_memory(error) ? kNeedLessMemory
                                              : "run the model in PyTorch, which shows the cause in detail",
                      {}, true);
  }
  seconds.push_back(static_cast<double>(clock.now_ns() - begin) * 1e-9);
}

Sequence single_launch(LaunchIndex launch) {
  return {{Segment{{}, {launch}}}};
}

Sequence in_order(size_t launches) {
  Segment all;
  for (LaunchIndex i = 0; i < launches; ++i) all.timed.push_back(i);
  return {{all}};
}

/// Returns the work as one segment of a recording with this number of launches. Memory that the work writes
/// is restored before a launch that needs it.
Sequence one_segment_of(const SteadyWork& work, size_t launches) {
  if (!work.marked.empty())
    throw Error("on the CPU, an iteration cannot be replayed without some of its kernels",
                "repeat each kernel in isolation: --block SECONDS");
  const std::vector<LaunchIndex> once =
      work.only.empty() ? in_order(launches).segments.front().timed : work.only;
  Segment segment;
  for (int i = 0; i < work.plain; ++i) segment.timed.insert(segment.timed.end(), once.begin(), once.end());
  return {{std::move(segment)}};
}

}  // namespace

TorchDevice::TorchDevice(std::unique_ptr<Model> model) : model_(std::move(model)) {
  info_.description = {{"kind", "cpu"},
                       {"threads", at::get_num_threads()},
                       {"torch", TORCH_VERSION},
                       {"capability", at::get_cpu_capability()}};
  info_.can_time_between_launches = true;
  info_.runs_program = true;
  info_.recordable = model_->operators_visible();
}

Recording TorchDevice::record() {
  if (!model_->operators_visible())
    throw Error(
        "the operators of an AOTInductor package (.pt2) cannot be recorded on the CPU, because its compiled "
        "code does not call PyTorch's dispatcher",
        "time its iterations with kjoule full, or export the model as .pt to compare its kernels");
  for (int i = 0; i < kRunsBeforeRecording; ++i) model_->run();
  program_ = record_program([this] { model_->run(); });
  if (program_.calls.empty())
    throw Error("the model calls no operator of PyTorch, so there is nothing to replay",
                "check the exported model");
  Recording recording{model_->description(), info_.description, {}};
  KernelRules rules;
  for (const RecordedCall& call : program_.calls)
    recording.launches.push_back(
        {operator_name(call.op), tier_of(call.op, rules), call.signature, call.detail});
  return recording;
}

Verification TorchDevice::verify() {
  require_recording();
  Verification result;
  result.launches = static_cast<int>(program_.calls.size());
  std::set<LaunchIndex> different;
  const auto inspect = [&](LaunchIndex launch, const std::vector<at::Tensor>& shown) {
    const std::vector<uint64_t>& expected = program_.calls[launch].hashes;
    for (size_t i = 0; i < expected.size(); ++i)
      if (expected[i] != 0 && content_hash(shown[i]) != expected[i]) different.insert(launch);
  };
  const auto inspect_outputs = [&](const Sequence& sequence) {
    try {
      SequenceReplayer(program_, sequence).inspect(inspect);
    } catch (const DeviceError& error) {
      if (error.lost) throw;
      result.failed.emplace_back(error.launch.value_or(0), error.what());
    }
  };
  inspect_outputs(in_order(program_.calls.size()));
  for (LaunchIndex i = 0; i < program_.calls.size(); ++i) inspect_outputs(single_launch(i));
  result.different.assign(different.begin(), different.end());
  return result;
}

std::unique_ptr<Track> TorchDevice::open(const TrackSpec& spec) {
  if (std::holds_alternative<OverlappedIteration>(spec))
    throw Error("operators on the CPU run one after another", kBugRemedy);
  if (std::holds_alternative<StampedWork>(spec) || std::holds_alternative<EmptyKernels>(spec))
    throw Error("operators on the CPU cannot be stamped", kBugRemedy);
  if (const auto* steady = std::get_if<SteadyWork>(&spec)) {
    require_recording();
    return open(one_segment_of(*steady, program_.calls.size()));
  }
  if (std::holds_alternative<Iteration>(spec))
    return cpu_track([this](std::vector<double>& seconds) { run_timed(*model_, seconds); });
  require_recording();
  for (const Segment& segment : std::get<Sequence>(spec).segments)
    for (const auto* launches : {&segment.lead, &segment.timed})
      for (const LaunchIndex launch : *launches)
        if (launch >= program_.calls.size())
          throw Error("a launch to be replayed was not recorded", kBugRemedy);
  auto replayer = std::make_shared<SequenceReplayer>(program_, std::get<Sequence>(spec));
  return cpu_track([replayer](std::vector<double>& seconds) { replayer->replay(seconds); });
}

void TorchDevice::require_recording() const {
  if (program_.calls.empty()) throw Error("nothing has been recorded yet", kBugRemedy);
}

}  // namespace kjoule::runner
