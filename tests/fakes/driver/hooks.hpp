#pragma once
#include <cupti.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

// The interface between the two stand-ins, through which libcuda.so.1 reports calls and activities to
// libcupti.so.13.

#define STAND_IN_VISIBLE __attribute__((visibility("default")))

namespace stand_in {

/// A device operation that has run, in virtual time.
struct Activity {
  enum class Kind { kernel, copy, set } kind = Kind::kernel;
  const char* name = "";  ///< name of a kernel in its module; valid until the process ends
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint32_t context = 0;
  int device = 0;  ///< number of the device in the machine
  uint32_t stream = 0;
  uint32_t correlation = 0;  ///< correlation id of the driver call that launched it
  uint64_t graph_node = 0;   ///< id of the node that was instantiated; 0 outside of graphs
  uint32_t graph = 0;
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  unsigned shared_bytes = 0;
  size_t bytes = 0;
  unsigned value = 0;  ///< value of a memset
  bool from_host = false;
  bool to_host = false;
  bool pageable = false;  ///< whether the host's end of a copy is not page-locked
};

/// All members are null while no CUPTI is loaded.
struct Hooks {
  std::atomic<void (*)(CUpti_CallbackId, const CUpti_CallbackData&)> call{nullptr};
  std::atomic<void (*)(const Activity&)> activity{nullptr};
  std::atomic<void (*)(const void* cubin, size_t bytes)> module_loaded{nullptr};
};

STAND_IN_VISIBLE Hooks& hooks();
STAND_IN_VISIBLE uint32_t id_of(CUstream stream);
STAND_IN_VISIBLE uint64_t id_of(CUgraphNode node);
/// Returns the time on the virtual timeline.
STAND_IN_VISIBLE int64_t now_ns();

}  // namespace stand_in
