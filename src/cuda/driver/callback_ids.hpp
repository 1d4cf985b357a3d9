#pragma once
#include <cupti.h>

// CUPTI's ids of the driver's calls. A call and its variant for the per-thread default stream have the same
// parameters. In the variant, a null stream means the calling thread's own default stream.
#define KJOULE_CBID(name) CUPTI_DRIVER_TRACE_CBID_##name
#define KJOULE_AND_PTSZ(name) CUPTI_DRIVER_TRACE_CBID_##name, CUPTI_DRIVER_TRACE_CBID_##name##_ptsz
#define KJOULE_AND_PTDS(name) CUPTI_DRIVER_TRACE_CBID_##name, CUPTI_DRIVER_TRACE_CBID_##name##_ptds

namespace kjoule::cuda {

/// The number of ids in the headers of this build. A newer CUPTI may report further ids.
inline constexpr CUpti_CallbackId kCallbackIds = CUPTI_DRIVER_TRACE_CBID_SIZE;

}  // namespace kjoule::cuda
