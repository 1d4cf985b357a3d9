#pragma once
#include <cuda.h>

#include <cstdint>
#include <optional>

#include "device/collective_operation.hpp"
#include "device/collective_protocol.hpp"
#include "nccl/rank_driver.hpp"

namespace kjoule::nccl {

/// The data of one rank for a collective.
class CollectiveBuffers {
 public:
  /// Allocates the buffers. Throws Error if the GPU has too little memory.
  CollectiveBuffers(const RankDriver& driver, const RankOfGroup& place, const CollectiveRequest& request);
  ~CollectiveBuffers();
  CollectiveBuffers(const CollectiveBuffers&) = delete;
  CollectiveBuffers& operator=(const CollectiveBuffers&) = delete;

  /// Fills what is sent with the rank's number, a small one, so that the result is known. Fills what is
  /// received elsewhere with 0.
  void fill() const;
  /// Fills what is sent with random numbers from 1 to 2 of either sign: the power of links and memory depends
  /// on the bits that change.
  void fill_at_random() const;
  /// Compares what was received after fill() and one collective. Throws Error for a wrong result.
  void check_result() const;

  /// Returns the address of what is sent, or of its part for a rank.
  void* sent(int64_t part = 0) const { return at(sent_ + static_cast<CUdeviceptr>(part) * part_bytes_); }
  /// Returns the address of what is received, or of its part from a rank.
  void* received(int64_t part = 0) const {
    return at(received_ + static_cast<CUdeviceptr>(part) * part_bytes_);
  }

 private:
  static void* at(CUdeviceptr address) {
    return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  }
  CUdeviceptr allocate(int64_t parts) const;
  void set(CUdeviceptr address, int64_t parts, int value) const;
  /// Returns the number in each element of a received part; nothing if this rank receives nothing.
  std::optional<int> expected(int part) const;

  const RankDriver& driver_;
  RankOfGroup place_;
  CollectiveRequest request_;
  CollectiveOperation operation_;
  int64_t sent_parts_ = 1, received_parts_ = 1;
  CUdeviceptr part_bytes_ = 0;
  CUdeviceptr buffer_ = 0, other_buffer_ = 0;  ///< the second one is 0 in place
  CUdeviceptr sent_ = 0, received_ = 0;
};

}  // namespace kjoule::nccl
