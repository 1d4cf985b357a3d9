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
  /// Changes a call that is about to free memory so that it frees nothing, if this memory is a whole
  /// allocation by cuMemAlloc, cuMemAllocManaged or from a pool. Must be called at the beginning of the call.
  void hold(CUpti_CallbackId id, const CUpti_CallbackData& data, const Allocations& allocations);
  /// Returns whether all held memory is still allocated, which means that the changed calls freed nothing.
  bool are_kept() const;
  /// Waits for the device, frees all held allocations, and returns them.
  std::vector<Allocation> free_all();
  bool empty() const { return held_.empty(); }

 private:
  std::vector<Allocation> held_;
};

}  // namespace kjoule::cuda
