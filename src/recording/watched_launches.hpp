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

/// One launch of a running program, reduced to what the search for the program's iteration needs. A graph is
/// one launch.
struct WatchedLaunch {
  /// Hash of a kernel's function, grid, block and shared bytes, or of a copy's kind and size.
  uint64_t shape_hash = 0;
  uint64_t address_hash = 0;  ///< hash of the parameters that point into allocated memory
  int64_t time_ns = 0;        ///< host time of the launch, in ns
  /// Number of the launch from the program's first, 0; each node of a graph counts, and a graph has the
  /// number of its first node.
  uint64_t number = 0;
  bool after_wait = false;  ///< whether the host waited for the device after the previous launch
  uint32_t thread = 0;      ///< number of the launching thread
};

/// The last launches of a running program, at most kMost (40 MiB). One thread adds launches while another
/// thread reads them.
class WatchedLaunches {
 public:
  static constexpr size_t kMost = size_t{1} << 20;

  /// Adds a launch. Takes a few nanoseconds; every 65,536th call allocates memory.
  void add(const WatchedLaunch& launch);
  /// Returns a copy of the launches, oldest first.
  std::vector<WatchedLaunch> launches() const;
  struct Extent {
    size_t launches = 0;   ///< number of launches
    int64_t reach_ns = 0;  ///< host time from the first to the last of these launches
  };
  Extent extent() const;
  /// Removes all launches. Must be called in the thread that adds launches.
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
