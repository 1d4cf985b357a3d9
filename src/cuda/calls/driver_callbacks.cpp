#include "cuda/calls/driver_callbacks.hpp"

#include "cuda/calls/driver_calls.hpp"
#include "cuda/driver/cupti.hpp"

namespace kjoule::cuda {

namespace {

using Extent = DriverCallbacks::Extent;

/// Returns the smallest extent that contains a driver call.
Extent extent_of(CUpti_CallbackId id) {
  switch (driver_call_kind(id)) {
    case DriverCallKind::launch:
      return Extent::launches;
    case DriverCallKind::record_event:
    case DriverCallKind::wait_for_event:
      return Extent::events;
    case DriverCallKind::not_replayable:
    case DriverCallKind::unknown:
      return Extent::work;
    case DriverCallKind::harmless:
      return waits_for_device(id) ? Extent::launches : Extent::all;
    default:
      return Extent::state;
  }
}

/// Returns whether kjoule needs callbacks of this call in order to work. Every CUPTI knows such calls.
bool is_needed(CUpti_CallbackId id) {
  const DriverCallKind kind = driver_call_kind(id);
  return kind != DriverCallKind::harmless && kind != DriverCallKind::not_replayable &&
         kind != DriverCallKind::unknown;
}

}  // namespace

void DriverCallbacks::set(Extent extent) {
  if (extent == Extent::all) {
    cupti_.enable_all(CUPTI_CB_DOMAIN_DRIVER_API, true);
    on_.set();
    return;
  }
  for (CUpti_CallbackId id = 1; id < kIds; ++id) {
    const bool wanted = extent_of(id) <= extent;
    if (wanted == on_[id]) continue;
    // An older CUPTI may lack some of the calls in which the host waits or that cannot be replayed. The CUPTI
    // of this build may lack calls of a newer one.
    if (wanted && is_needed(id))
      cupti_.enable(CUPTI_CB_DOMAIN_DRIVER_API, id, true);
    else
      cupti_.enable_if_known(id, wanted);
    on_[id] = wanted;
  }
}

}  // namespace kjoule::cuda
