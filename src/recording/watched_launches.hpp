#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/process/mutex.hpp"

namespace kjoule {

/// A launch of a running program, as far as the search for its iteration needs it.
struct WatchedLaunch {
  uint64_t shape_hash = 0;    ///< hash of function, grid, block and shared bytes, or of the size of a copy
  uint64_t address_hash = 0;  ///< hash of the parameters that point into allocated memory
  int64_t time_ns = 0;        ///< host time
  uint64_t number = 0;        ///< of its first launch: a graph counts as its nodes
  bool after_wait = false;    ///< whether the host waited for the device since the launch before
  uint32_t thread = 0;        ///< number of the launching thread
};

/// The last launches of a running program, at most a million (40 MiB). One thread adds launches while another
/// one reads them.
class WatchedLaunches {
 public:
  static constexpr size_t kMost = size_t{1} << 20;

  /// Adds a launch. It takes nanoseconds; every 65,536th time it allocates memory.
  void add(const WatchedLaunch& launch);
  /// Returns a copy of the launches, oldest first.
  std::vector<WatchedLaunch> launches() const;
  /// How many launches there are, and the host time from the first to the last one.
  struct Extent {
    size_t launches = 0;
    int64_t reach_ns = 0;
  };
  Extent extent() const;
  /// Forgets all launches. Call it in the thread that adds them.
  void clear();

 private:
  static constexpr size_t kPiece = size_t{1} << 16;
  using Piece = std::array<WatchedLaunch, kPiece>;

  mutable Mutex mutex_;
  std::deque<std::shared_ptr<Piece>> pieces_ KJOULE_GUARDED_BY(mutex_);
  Piece* last_ = nullptr;                 ///< the last piece, for the thread that adds
  std::atomic<size_t> in_last_ = kPiece;  ///< launches in the last piece
};

}  // namespace kjoule
