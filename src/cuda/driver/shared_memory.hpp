#pragma once
#include <cuda.h>
#include <cupti.h>

#include <cstddef>
#include <map>
#include <unordered_map>

namespace kjoule::cuda {

/// The memory and events that the program shares with other processes, or with interfaces other than CUDA.
/// Other processes and interfaces may write shared memory at any time. Not thread-safe.
class SharedMemory {
 public:
  /// Registers the result of a successful call of kind `share`.
  void on_share(CUpti_CallbackId id, const CUpti_CallbackData& data);
  /// Registers that the program has created physical memory, so that `handle` no longer refers to memory that
  /// was imported earlier under the same handle.
  void on_create(CUmemGenericAllocationHandle handle) { handles_.erase(handle); }
  /// Registers that physical memory is mapped (cuMemMap). Returns whether the memory was imported from
  /// another process or interface.
  bool on_map(CUdeviceptr address, CUmemGenericAllocationHandle handle);
  /// Forgets all mappings whose first address is in [address, address + bytes).
  void remove(CUdeviceptr address, size_t bytes);

  /// Returns the name of the call that made a mapping which still exists; null if there is no mapping.
  const char* mapped_by() const { return mapped_.empty() ? nullptr : mapped_.begin()->second; }
  /// Returns whether the program has ever opened an event of another process. The destruction of events is
  /// not observed, because that would cost time in programs with many events.
  bool has_event() const { return has_event_; }

 private:
  /// The names of the calls that have mapped memory, by its address. The same memory may be mapped several
  /// times.
  std::multimap<CUdeviceptr, const char*> mapped_;
  /// The names of the calls by which handles of physical memory were imported.
  std::unordered_map<CUmemGenericAllocationHandle, const char*> handles_;
  bool has_event_ = false;
};

}  // namespace kjoule::cuda
