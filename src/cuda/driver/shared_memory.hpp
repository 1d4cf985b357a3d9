#pragma once
#include <cuda.h>
#include <cupti.h>

#include <cstddef>
#include <map>
#include <unordered_map>

namespace kjoule::cuda {

/// The memory and events of other processes, or of other interfaces than CUDA, that the program uses. Others
/// may write such memory at any time. Not thread-safe.
class SharedMemory {
 public:
  /// Takes note of a call of kind `share` that has succeeded.
  void on_share(CUpti_CallbackId id, const CUpti_CallbackData& data);
  /// Takes note that the program has created physical memory, whose handle may have been another's before.
  void on_create(CUmemGenericAllocationHandle handle) { handles_.erase(handle); }
  /// Takes note that physical memory is mapped (cuMemMap). Returns whether it was imported.
  bool on_map(CUdeviceptr address, CUmemGenericAllocationHandle handle);
  /// Takes note that the mappings end that begin in a range.
  void remove(CUdeviceptr address, size_t bytes);

  /// Returns the name of the call by which a mapping that still exists was made; null if there is none.
  const char* mapped_by() const { return mapped_.empty() ? nullptr : mapped_.begin()->second; }
  /// Returns whether an event of another process was opened. The end of events is not seen, which would cost
  /// programs time that have many.
  bool has_event() const { return has_event_; }

 private:
  /// The names of the calls that have mapped memory, by its address. Each may be opened several times.
  std::multimap<CUdeviceptr, const char*> mapped_;
  /// The names of the calls by which handles of physical memory were imported.
  std::unordered_map<CUmemGenericAllocationHandle, const char*> handles_;
  bool has_event_ = false;
};

}  // namespace kjoule::cuda
