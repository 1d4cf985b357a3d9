#pragma once
#include <cuda.h>

namespace kjoule::driver {

/// Throws DeviceError that names the call and the driver's error; `lost` is set when the context cannot be
/// used any more (a fault).
void check(CUresult result, const char* call);

}  // namespace kjoule::driver

#define KJOULE_CU(call) ::kjoule::driver::check(call, #call)
