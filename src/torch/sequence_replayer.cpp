#include "torch/sequence_replayer.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <chrono>
#include <cstring>

#include "torch/failure.hpp"
#include "torch/sequence_compiler.hpp"

namespace kjoule::runner {

namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void restore(const StorageVersion& version) {
  std::memcpy(version.work.mutable_data_ptr(), version.pristine.const_data_ptr(), version.work.nbytes());
}

}  // namespace

SequenceReplayer::SequenceReplayer(const RecordedProgram& program, const Sequence& sequence)
    : program_(program), segments_(sequence.segments.size()) {
  CompiledSequence compiled = compile_sequence(program, sequence);
  steps_ = std::move(compiled.steps);
  final_restores_ = std::move(compiled.final_restores);
  slots_.resize(static_cast<size_t>(compiled.slots));
}

void SequenceReplayer::replay(std::vector<double>& seconds) {
  const size_t first = seconds.size();
  seconds.resize(first + segments_, 0.0);
  torch::jit::Stack stack;
  double begin = 0;
  for (const ReplayStep& step : steps_) {
    if (step.starts_span) {
      prepare(step);
      begin = now_s();
    }
    try {
      call(step, stack);
    } catch (const std::exception& error) {
      fail(step, error);
    }
    take_results(step, stack);
    stack.clear();
    for (const int slot : step.frees) slots_[static_cast<size_t>(slot)].reset();
    if (step.ends_span && step.timed) seconds[first + static_cast<size_t>(step.segment)] += now_s() - begin;
  }
  for (const StorageVersion* version : final_restores_) restore(*version);
}

void SequenceReplayer::inspect(const Inspect& inspect) {
  torch::jit::Stack stack;
  for (const ReplayStep& step : steps_) {
    prepare(step);
    const RecordedCall& recorded = program_.calls[step.launch];
    std::vector<at::Tensor> written;
    try {
      bind(step, stack);
      for (const TensorUse& use : recorded.reads)
        if (use.written) written.push_back(get_tensor(stack, use.position));
      recorded.op.callBoxed(stack);
    } catch (const std::exception& error) {
      fail(step, error);
    }
    std::vector<at::Tensor> shown;
    for (const TensorUse& use : recorded.makes) shown.push_back(get_tensor(stack, use.position));
    shown.insert(shown.end(), written.begin(), written.end());
    inspect(step.launch, shown);
    take_results(step, stack);
    stack.clear();
    for (const int slot : step.frees) slots_[static_cast<size_t>(slot)].reset();
  }
  for (const StorageVersion* version : final_restores_) restore(*version);
}

void SequenceReplayer::prepare(const ReplayStep& step) const {
  for (const StorageVersion* version : step.restores) restore(*version);
  const at::Tensor& state = program_.calls[step.launch].generator_state;
  if (state.defined()) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    generator.set_state(state);
  }
}

void SequenceReplayer::bind(const ReplayStep& step, torch::jit::Stack& stack) const {
  const torch::jit::Stack& recorded = program_.calls[step.launch].arguments;
  stack.assign(recorded.begin(), recorded.end());
  for (const Feed& feed : step.feeds)
    set_tensor(stack, feed.position, slots_[static_cast<size_t>(feed.slot)]);
}

void SequenceReplayer::call(const ReplayStep& step, torch::jit::Stack& stack) const {
  bind(step, stack);
  program_.calls[step.launch].op.callBoxed(stack);
}

void SequenceReplayer::take_results(const ReplayStep& step, const torch::jit::Stack& stack) {
  for (const Feed& take : step.takes)
    slots_[static_cast<size_t>(take.slot)] = get_tensor(stack, take.position);
}

void SequenceReplayer::fail(const ReplayStep& step, const std::exception& error) {
  for (at::Tensor& slot : slots_) slot.reset();
  for (const auto& [key, version] : program_.versions) restore(version);
  const std::string text = "launch " + std::to_string(step.launch) + " (" +
                           program_.calls[step.launch].op.schema().name() +
                           ") failed in the replay: " + reason(error);
  // If memory runs out, the operator that requested it is not the cause.
  if (is_out_of_memory(error)) throw DeviceError(text, kNeedLessMemory, {}, true);
  throw DeviceError(text, "its kernel is missing from the sum", step.launch);
}

}  // namespace kjoule::runner
