#pragma once
#include <exception>
#include <functional>
#include <vector>

#include "torch/sequence_compiler.hpp"

namespace kjoule::runner {

/// Replays a compiled Sequence on the CPU.
class SequenceReplayer {
 public:
  /// Compiles the sequence. The replayer keeps a reference to `program`, which must outlive it.
  SequenceReplayer(const RecordedProgram& program, const Sequence& sequence);

  /// Replays the sequence once and appends the time of each segment in s. Throws DeviceError, with the number
  /// of the launch, if a launch throws an exception.
  void replay(std::vector<double>& seconds);

  /// A function that receives the results and written arguments of each call, in the order of
  /// RecordedCall::hashes.
  using Inspect = std::function<void(LaunchIndex, const std::vector<at::Tensor>&)>;
  /// Replays the sequence once, untimed, and passes the outputs of every call to `inspect`.
  void inspect(const Inspect& inspect);

 private:
  void prepare(const ReplayStep& step) const;
  void bind(const ReplayStep& step, torch::jit::Stack& stack) const;
  void call(const ReplayStep& step, torch::jit::Stack& stack) const;
  void take_results(const ReplayStep& step, const torch::jit::Stack& stack);
  [[noreturn]] void fail(const ReplayStep& step, const std::exception& error);

  const RecordedProgram& program_;
  std::vector<ReplayStep> steps_;
  std::vector<const StorageVersion*> final_restores_;
  std::vector<at::Tensor> slots_;
  size_t segments_;
};

}  // namespace kjoule::runner
