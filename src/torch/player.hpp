#pragma once
#include <exception>
#include <functional>
#include <vector>

#include "torch/player_compiler.hpp"

namespace kjoule::child {

/// A Sequence made ready to be played on the CPU.
class Player {
 public:
  /// Keeps a reference to `program`.
  Player(const RecordedProgram& program, const Sequence& sequence);

  /// Plays once and appends each segment's timed seconds. Throws DeviceError naming the launch that threw.
  void play(std::vector<double>& seconds);

  /// Told after each call with its results and its written arguments, in the order of RecordedCall::hashes.
  using Inspect = std::function<void(LaunchIndex, const std::vector<at::Tensor>&)>;
  /// Plays once, untimed, and shows what came of every call.
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

}  // namespace kjoule::child
