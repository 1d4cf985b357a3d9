#pragma once
#include <cupti.h>

#include <vector>

#include "cuda/allocations.hpp"

namespace kjoule::cuda {

/// Device memory that the program has freed while its iteration was recorded. It stays allocated, so that the
/// replayed launches find it at its addresses. The driver call of the program frees nothing instead, and
/// succeeds.
///
/// CUPTI gives callbacks the parameters of a call where the driver reads them afterwards. That it does so,
/// and that the driver accepts a null address, is asked by tests/gpu/facts (redirected_free).
class HeldFrees {
 public:
  /// Lets a call that is about to free memory free none, if that memory is allocated as a whole by
  /// cuMemAlloc, cuMemAllocManaged or from a pool. Returns whether it did. Must be called where the call
  /// begins.
  bool hold(CUpti_CallbackId id, const CUpti_CallbackData& data, const Allocations& allocations);
  /// Frees what is held and returns it. Waits for the device.
  std::vector<Allocation> free_all();
  bool empty() const { return held_.empty(); }

 private:
  std::vector<Allocation> held_;
};

}  // namespace kjoule::cuda
