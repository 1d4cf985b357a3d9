#pragma once
#include <vector>

#include "cuda/calls/call.hpp"
#include "cuda/memory/memory_state.hpp"
#include "device/device.hpp"

namespace kjoule::cuda {

/// Compares the pages after one replay with the pages after the program's own run, and finds for each page
/// that differs the launch that wrote the page last.
///
/// If pages differ, the iteration is replayed again, and all differing pages are hashed after each launch. No
/// differing page is omitted, because the first launch whose output varies from replay to replay must be
/// found. If no page differs, nothing is replayed. A page that no launch changes, and that the host may
/// write, does not count as different: the host has written the page after the iteration's last launch.
class Differences {
 public:
  /// `once` contains the hashes of the memory after one replay; `end` describes the memory after the
  /// program's own run. When the constructor is called, the memory must be equal to the state's snapshot. The
  /// constructor restores the memory to the snapshot before it returns.
  Differences(const PageKernels& kernels, const MemoryState& state, const std::vector<Call>& calls,
              const std::vector<uint64_t>& once, const MemoryDigest& end, CUstream stream);
  Verification verification() const;

 private:
  void find_writers();
  void find_non_finite(const MemoryDigest& end);
  void find_varying();
  void mark_changed(unsigned mark) const;

  const PageKernels& kernels_;
  const MemoryState& state_;
  const std::vector<Call>& calls_;
  CUstream stream_;
  std::vector<unsigned> pages_;
  std::vector<uint64_t> replayed_hashes_;  ///< hashes of pages_ after one replay
  /// Whether the page has many more infinities or NaNs than after the program's own run.
  std::vector<bool> many_non_finite_;
  std::vector<LaunchIndex> last_writer_;  ///< for each page of pages_, the launch that wrote the page last
  /// Whether the host wrote the page: the host may write the page, and no launch changed it.
  std::vector<bool> by_host_;
  std::vector<bool> varies_;  ///< whether the page differs from one replay to the next
  Buffer words_, hashes_, marks_;
};

}  // namespace kjoule::cuda
