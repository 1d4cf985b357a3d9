#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stand_in {

inline constexpr int kMostNcclRanks = 8;
inline constexpr size_t kPieceBytes = 16384;

/// A piece of a message from one rank to another, in memory that both map.
struct Slot {
  std::atomic<uint64_t> written;  ///< number of pieces that the sender has written
  std::atomic<uint64_t> read;     ///< number of pieces that the receiver has read
  uint64_t signature;             ///< operation, elements and type, which must be equal on both ranks
  double begin_ns;                ///< virtual time at which the sender's kernel began
  std::byte data[kPieceBytes];
};

/// The memory that the ranks of a communicator share.
struct SharedSlots {
  std::atomic<int> joined;
  Slot slots[kMostNcclRanks][kMostNcclRanks];  ///< by sender, then receiver
};

/// One rank's view of the memory through which the ranks of a communicator exchange messages.
class Exchange {
 public:
  /// Maps the memory of this name, and waits until all ranks have done so.
  Exchange(const std::string& name, int rank, int ranks);

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  /// Writes a piece for another rank, or for this one; waits until the piece before it was read.
  void write(int to, const void* data, size_t bytes, uint64_t signature, double begin_ns);
  /// The piece that was read: its data are valid until release().
  struct Piece {
    const std::byte* data;
    uint64_t signature;
    double begin_ns;
  };
  Piece read(int from);
  void release(int from);

 private:
  SharedSlots* shared_;
  int rank_, ranks_;
};

}  // namespace stand_in
