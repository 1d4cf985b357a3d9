#include "stamps.hpp"

#include "check.hpp"
#include "stamps_ptx.hpp"

namespace kjoule::driver {

StampKernel::StampKernel() : module_(kStampsPtx), write_(module_.function("write_stamp")) {}

void StampKernel::issue(CUdeviceptr slot, CUstream stream) const {
  void* arguments[] = {&slot};
  KJOULE_CU(cuLaunchKernel(write_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
}

}  // namespace kjoule::driver
