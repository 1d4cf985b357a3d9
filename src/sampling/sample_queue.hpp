#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <vector>

namespace kjoule {

/// The samples that several GPUs share, by their index. Each sample is waiting, taken by one GPU, or
/// complete.
///
/// A sample that ended the process of its GPU is tried once more, on another GPU if there is one, because the
/// GPU may be the cause. If it ends that process as well, the sample is the cause.
class SampleQueue {
 public:
  /// All samples are waiting, and all GPUs (numbers from 0) may take them.
  SampleQueue(size_t samples, size_t gpus);

  /// Takes up to `most` waiting samples for a GPU: first those that are tried again. Returns an empty list if
  /// there is none that this GPU may take now.
  std::vector<size_t> take(size_t gpu, size_t most);
  /// Completes a sample that the GPU has taken.
  void complete(size_t gpu, size_t sample);
  /// Ends the sample's first or second try, in which its process ended. Returns whether it is tried again;
  /// otherwise it is complete.
  bool try_again(size_t gpu, size_t sample);
  /// The GPU takes no more samples. Those that it has taken wait for the others.
  void leave(size_t gpu);

  /// Returns the number of samples that are not complete.
  size_t left() const { return left_; }
  /// Returns the number of samples that no GPU has taken.
  size_t waiting() const { return fresh_.size() + again_.size(); }
  /// Returns the number of GPUs that have not left.
  size_t gpus() const { return present_.size(); }
  /// Returns the number of samples that ended a process of this GPU, but not one of another GPU.
  size_t needless_ends(size_t gpu) const { return needless_ends_[gpu]; }

 private:
  /// A sample that ended a process of the GPU `first`.
  struct Retry {
    size_t sample, first;
  };

  std::deque<size_t> fresh_;
  std::deque<Retry> again_;
  std::vector<std::set<size_t>> taken_;           ///< by GPU
  std::vector<std::optional<size_t>> first_gpu_;  ///< by sample: the GPU whose process it ended, if any
  std::vector<size_t> needless_ends_;             ///< by GPU
  std::set<size_t> present_;
  size_t left_;
};

}  // namespace kjoule
