#pragma once
#include <vector>

#include "cuda/call.hpp"
#include "cuda/state.hpp"
#include "device/device.hpp"

namespace kjoule::driver {

/// The pages that came out otherwise than in the program's own run, and the launches that last wrote them.
/// Nothing is played where there are none. The launches are found by playing the iteration again and hashing
/// these pages alone after each launch: all of them, however many, so that no launch is left out and it is
/// known which one varies first.
class Differences {
 public:
  /// `once` is the memory after the iteration was played once, `end` the program's own. The memory is as in
  /// the state's snapshot, and is left so.
  Differences(const PageKernels& kernels, const State& state, const std::vector<Call>& calls,
              const MemoryMarks& once, const MemoryMarks& end, CUstream stream);
  Verification verification() const;

 private:
  void find_writers();
  void find_varying();
  void mark_changed(unsigned mark) const;

  const PageKernels& kernels_;
  const State& state_;
  const std::vector<Call>& calls_;
  CUstream stream_;
  std::vector<unsigned> pages_;
  std::vector<uint64_t> once_;            ///< their hashes
  std::vector<bool> many_non_finite_;     ///< many more infinities or NaNs than in the program's own run
  std::vector<LaunchIndex> last_writer_;  ///< by place in pages_
  std::vector<bool> varies_;              ///< from one replay to another
  Buffer words_, hashes_, marks_;
};

}  // namespace kjoule::driver
