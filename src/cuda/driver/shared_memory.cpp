#include "cuda/driver/shared_memory.hpp"

#include "cuda/driver/callback_ids.hpp"

namespace kjoule::cuda {

void SharedMemory::on_share(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const void* parameters = data.functionParams;
  switch (id) {
    case KJOULE_CBID(cuMemImportFromShareableHandle):
      handles_[*static_cast<const cuMemImportFromShareableHandle_params*>(parameters)->handle] =
          data.functionName;
      return;
    case KJOULE_CBID(cuIpcOpenEventHandle):
      has_event_ = true;
      return;
    case KJOULE_CBID(cuIpcCloseMemHandle): {
      const auto closed = mapped_.find(static_cast<const cuIpcCloseMemHandle_params*>(parameters)->dptr);
      if (closed != mapped_.end()) mapped_.erase(closed);
      return;
    }
    default:  // in the other calls, the first parameter points to the address
      mapped_.emplace(*static_cast<const cuIpcOpenMemHandle_v2_params*>(parameters)->pdptr,
                      data.functionName);
  }
}

bool SharedMemory::on_map(CUdeviceptr address, CUmemGenericAllocationHandle handle) {
  const auto imported = handles_.find(handle);
  if (imported == handles_.end()) return false;
  mapped_.emplace(address, imported->second);
  return true;
}

void SharedMemory::remove(CUdeviceptr address, size_t bytes) {
  mapped_.erase(mapped_.lower_bound(address), mapped_.lower_bound(address + bytes));
}

}  // namespace kjoule::cuda
