#pragma once
// The folder calls describes the program's driver calls. driver_calls.hpp determines the kind of each call
// and reads its parameters: a launch becomes a LaunchView, whose data are still in the program's memory.
// make_call() turns a LaunchView into a Call, which can be issued again later, and to_launches() describes
// Calls as the Launches of a Recording. The folder watch uses these functions while the program runs, and the
// folder replay uses them afterwards. Graphs knows the contents of the program's CUDA graphs. Read first:
// Call, LaunchView, DriverCallKind.

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cuda/calls/collectives.hpp"
#include "recording/collective_message.hpp"

namespace kjoule::cuda {

/// The name and the argument layout of a kernel function: offset and size of each argument in one packed
/// buffer. Each function is described once.
struct Function {
  CUfunction handle = nullptr;  ///< handle as the program passes it: a CUfunction or a CUkernel
  std::string name;             ///< mangled name
  Collective collective = Collective::none;
  std::vector<size_t> offsets;
  std::vector<size_t> sizes;
  size_t bytes = 0;  ///< size of all packed arguments
  /// The library or the module that contains the function; at most one of the two is set.
  CUlibrary library = nullptr;
  CUmodule module = nullptr;
};

/// Returns the name and argument layout of a function. Throws DeviceError for a handle that is neither a
/// CUfunction nor a CUkernel.
std::shared_ptr<const Function> describe(CUfunction handle);

struct KernelCall {
  std::shared_ptr<const Function> function;
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  unsigned shared_bytes = 0;
  std::vector<CUlaunchAttribute> attributes;
  std::vector<std::byte> arguments;  ///< packed at Function's offsets, unless `packed` is true
  bool packed = false;               ///< the program passed one packed buffer, which is kept unchanged
};

/// A linear or strided copy, described as for cuMemcpy3D. If source or target is host memory, `host` is
/// kjoule's own copy of this memory. For a copy to the device it contains the bytes that the program sent;
/// for a copy from the device, it is space for the bytes received.
struct CopyCall {
  CUDA_MEMCPY3D shape{};
  std::shared_ptr<std::vector<std::byte>> host;  ///< null for copies within the device
  bool pageable = false;  ///< whether source or target is host memory that is not page-locked
  size_t bytes() const { return shape.WidthInBytes * shape.Height * shape.Depth; }
};

struct MemsetCall {
  CUdeviceptr to = 0;
  size_t pitch = 0;  ///< bytes from row to row; 0 for a single row
  unsigned value = 0;
  unsigned element_bytes = 1;  ///< 1, 2 or 4
  size_t width = 0;            ///< elements per row
  size_t height = 1;
};

/// One device operation of the program, with everything that is needed to issue it again.
struct Call {
  std::variant<KernelCall, CopyCall, MemsetCall> what;
  /// The program's stream (identity_of()), which determines the order of the calls. A replay issues the calls
  /// into a stream of its own choice.
  CUstream stream = nullptr;
  std::vector<std::string> ranges{};          ///< NVTX ranges of the launching thread, outermost first
  std::vector<CollectiveMessage> messages{};  ///< messages that a kernel of NCCL exchanges, if known
  std::vector<uint32_t> waits_for{};  ///< indices of the iteration's launches for which this launch waits
  bool from_graph = false;            ///< whether the call was a node of a graph that the program launched
};

/// Returns the bytes of host memory that kjoule uses to keep the call, without the program's own data
/// (arguments and host ends of copies).
size_t bookkeeping_bytes(const Call& call);

/// Returns whether the call is a kernel that exchanges data with kernels of other processes.
bool is_collective(const Call& call);

/// Issues the call again on `stream`, which may be capturing a graph.
void issue(const Call& call, CUstream stream);

/// Returns "memcpy HtoD", "memcpy HtoD (pageable)", "memset", or the demangled name of the kernel.
std::string readable_name(const Call& call);
/// Returns the sizes of a call for messages: the bytes of a copy, the elements of a memset, or, for a kernel,
/// a text such as "grid 64x1x1, block 512x1x1, 1024 B shared, 40 B of 5 arguments, attributes 4 6".
std::string sizes_text(const Call& call);

}  // namespace kjoule::cuda
