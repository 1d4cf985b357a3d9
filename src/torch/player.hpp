#pragma once
#include <exception>
#include <functional>
#include <vector>

#include "torch/player_compiler.hpp"

namespace kjoule::runner {

/// A Sequence that is compiled for replay on the CPU.
class Player {
 public:
  /// Compiles the sequence. The Player refers to `program`, which must outlive it.
  Player(const RecordedProgram& program, const Sequence& sequence);

  /// Replays the sequence once and appends the timed seconds of each segment. Throws DeviceError with the
  /// launch that threw an exception.
  void play(std::vector<double>& seconds);

  /// A function that receives the results and written arguments of each call, in the order of
  /// RecordedCall::hashes.
  using Inspect = std::function<void(LaunchIndex, const std::vector<at::Tensor>&)>;
  /// Replays the sequence once, untimed, and passes the outputs of every call to `inspect`.
  void inspect(const Inspect& inspect);

 private:
  void prepare(const PlayStep& step) const;
  void bind(const PlayStep& step, torch::jit::Stack& stack) const;
  void call(const PlayStep& step, torch::jit::Stack& stack) const;
  void take_results(const PlayStep& step, const torch::jit::Stack& stack);
  [[noreturn]] void fail(const PlayStep& step, const std::exception& error);

  const RecordedProgram& program_;
  std::vector<PlayStep> steps_;
  std::vector<const StorageVersion*> put_back_last_;
  std::vector<at::Tensor> slots_;
  size_t segments_;
};

}  // namespace kjoule::runner
