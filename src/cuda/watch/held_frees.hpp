#pragma once
#include <cupti.h>

#include <vector>

#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

/// Device memory that the program has freed while its iteration was recorded. It stays allocated, so that the
/// replayed launches find it at the same addresses. The program's driver call succeeds, but frees nothing.
///
/// This relies on two undocumented properties: CUPTI gives callbacks the parameters of a call in the memory
/// from which the driver reads them afterwards, and the driver accepts a null address. tests/gpu/facts
/// (redirected_free) tests a driver for them, and are_kept() checks that the memory is still allocated.
class HeldFrees {
 public:
  /// Returns whether a call that is about to free memory waits for the device first, if hold() changes it.
  /// The caller must then wait instead, without any lock: work of the device may depend on a driver call that
  /// another thread makes.
  static bool waits_for_device(CUpti_CallbackId id, const CUpti_CallbackData& data,
                               const Allocations& allocations);
  /// Changes a call that is about to free memory so that it frees nothing, if this memory is a whole
  /// allocation by cuMemAlloc, cuMemAllocManaged or from a pool. Must be called at the beginning of the call.
  void hold(CUpti_CallbackId id, const CUpti_CallbackData& data, const Allocations& allocations);
  /// Returns whether all held memory is still allocated, which means that the changed calls freed nothing.
  bool are_kept() const;
  /// Returns all held allocations, which the caller must free (free_memory()).
  std::vector<Allocation> take();
  bool empty() const { return held_.empty(); }

 private:
  std::vector<Allocation> held_;
};

/// Waits for the device, and frees memory that was held. No lock may be locked.
void free_memory(const std::vector<Allocation>& held);

}  // namespace kjoule::cuda
