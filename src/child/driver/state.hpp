#pragma once
#include <memory>
#include <vector>

#include "call.hpp"
#include "pages.hpp"
#include "trace/recording.hpp"

namespace kjoule::driver {

/// A copy of all the program's device memory, and the hash of each page.
class Snapshot {
 public:
  Snapshot(const PageKernels& kernels, std::vector<inject::Range> ranges);
  const std::vector<inject::Range>& ranges() const { return ranges_; }
  unsigned pages() const { return pages_; }
  uint64_t address_of(unsigned page) const;  ///< in the program's memory
  uint64_t bytes_of(unsigned page) const;    ///< a whole page but for the last of an allocation
  uint64_t copy_of(unsigned page) const;     ///< in the copy
  void hash_now(CUdeviceptr hashes, CUstream stream) const;  ///< of the memory as it is
  /// Likewise, see PageKernels::count_non_finite; 8 bytes a page.
  void count_non_finite_now(CUdeviceptr counts, CUstream stream) const;
  void put_back(CUstream stream) const;

 private:
  size_t range_of(unsigned page) const;

  const PageKernels& kernels_;
  std::vector<inject::Range> ranges_;
  std::vector<uint64_t> first_;  ///< number of each range's first page
  unsigned pages_ = 0;
  Buffer copy_;
};

/// What the program's memory held at some moment, page by page.
struct MemoryMarks {
  /// Of the memory as it is.
  MemoryMarks(const Snapshot& snapshot, CUstream stream);
  struct NonFinite {
    uint32_t single, half;
  };
  std::vector<uint64_t> hashes;
  std::vector<NonFinite> non_finite;
};

/// What each launch of the iteration writes, and what stood there before, for every state of
/// inject::schedule. Found by playing the launches one by one from the iteration's start and comparing all
/// pages after each.
class State {
 public:
  /// `end` is the program's own memory after the iteration that it ran itself. Leaves the memory in state 0.
  /// Throws DeviceError, naming the launch, when one faults.
  State(const PageKernels& kernels, Snapshot snapshot, const std::vector<Call>& calls, const MemoryMarks& end,
        CUstream stream);
  ~State();
  /// The copies that lead back from position `from` to state `to`.
  PageCopies back(int from, int to) const;
  /// Plays the launches once more and keeps what the last ones wrote, too; left_by() needs it. Begins and
  /// ends in state 0.
  void keep_what_is_left(const std::vector<Call>& calls, CUstream stream);
  /// The copies that leave what the launch at that position changed, where it was left out or was played.
  PageCopies left_by(LaunchIndex launch) const;
  /// Launches that last wrote a page which came out otherwise than in the program's own run, though replays
  /// agree on it.
  const std::vector<LaunchIndex>& different() const { return different_; }
  /// Likewise, but its bits vary from one replay to the next, or it comes after a launch whose bits do: what
  /// it was given is not known to be what the program gave it.
  const std::vector<LaunchIndex>& varying() const { return varying_; }
  /// Of different(): came out with many more infinities or NaNs than in the program's own run.
  const std::vector<LaunchIndex>& non_finite() const { return non_finite_; }

 private:
  struct Written {
    std::vector<unsigned> numbers;  ///< of the pages, as the snapshot counts them
    std::vector<uint64_t> pages;    ///< their addresses
    std::vector<uint64_t> images;   ///< where a copy of what stood there before lies
    std::vector<uint32_t> bytes;
    std::vector<uint64_t> left;  ///< where a copy of what the launch left lies; empty until asked for
  };
  uint64_t room_for_image();
  int states() const { return static_cast<int>(written_.size()); }
  void play_and_keep(const Call& call, CUstream stream);
  void compare(const MemoryMarks& original, size_t launches, CUstream stream);
  void tell_varying_apart(const std::vector<Call>& calls, CUstream stream);

  const PageKernels& kernels_;
  std::vector<Written> written_;        ///< by position
  mutable std::vector<unsigned> seen_;  ///< by page number: the last call of back() that met it
  mutable unsigned calls_of_back_ = 0;
  std::vector<Buffer> arena_;
  size_t arena_used_ = 0;
  bool kept_what_is_left_ = false;
  std::vector<LaunchIndex> different_;
  std::vector<LaunchIndex> varying_;
  std::vector<LaunchIndex> non_finite_;
  struct Search;
  std::unique_ptr<Search> search_;  ///< while pages are being found
};

}  // namespace kjoule::driver
