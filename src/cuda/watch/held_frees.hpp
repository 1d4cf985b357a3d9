#pragma once
#include <cupti.h>

#include <vector>

#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

/// Device memory that the program has freed while its iteration was recorded. It stays allocated, so that the
/// replayed launches find it at its addresses. The driver call of the program frees nothing instead, and
/// succeeds.
///
/// CUPTI gives callbacks the parameters of a call where the driver reads them afterwards, and the driver
/// accepts a null address. No documentation says so: tests/gpu/facts (redirected_free) asks a driver, and
/// are_kept() sees what became of the memory.
class HeldFrees {
 public:
  /// Lets a call that is about to free memory free none, if that memory is allocated as a whole by
  /// cuMemAlloc, cuMemAllocManaged or from a pool. Must be called where the call begins.
  void hold(CUpti_CallbackId id, const CUpti_CallbackData& data, const Allocations& allocations);
  /// Returns whether all that is held is still allocated: whether the calls did free nothing.
  bool are_kept() const;
  /// Frees what is held and returns it. Waits for the device.
  std::vector<Allocation> free_all();
  bool empty() const { return held_.empty(); }

 private:
  std::vector<Allocation> held_;
};

}  // namespace kjoule::cuda
