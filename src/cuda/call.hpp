#pragma once
#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace kjoule::driver {

/// Where each argument of a kernel lies in one packed buffer. Made once for every function.
struct Function {
  CUfunction handle = nullptr;  ///< as the program passes it; may be a CUkernel in disguise
  std::string name;             ///< mangled
  std::vector<size_t> offsets;
  std::vector<size_t> sizes;
  size_t bytes = 0;  ///< of all arguments, packed
};

/// Throws DeviceError for a handle that is neither a function nor a kernel.
std::shared_ptr<const Function> describe(CUfunction handle);

struct KernelCall {
  std::shared_ptr<const Function> function;
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  unsigned shared_bytes = 0;
  std::vector<CUlaunchAttribute> attributes;
  std::vector<std::byte> arguments;  ///< packed as Function says
  bool packed = false;  ///< the program passed them so itself; kept whole, whatever Function says
};

/// A linear or strided copy, as cuMemcpy3D takes it. Where one end is the host's, `host` is a copy of ours:
/// what the program sent, or room for what it received.
struct CopyCall {
  CUDA_MEMCPY3D shape{};
  std::shared_ptr<std::vector<std::byte>> host;  ///< null for copies within the device
  size_t bytes() const { return shape.WidthInBytes * shape.Height * shape.Depth; }
};

struct SetCall {
  CUdeviceptr to = 0;
  size_t pitch = 0;  ///< 0 for one row
  unsigned value = 0;
  unsigned element_bytes = 1;  ///< 1, 2 or 4
  size_t width = 0;            ///< elements
  size_t height = 1;
};

/// One device operation of the program with all that is needed to do it again.
struct Call {
  std::variant<KernelCall, CopyCall, SetCall> what;
  CUstream stream = nullptr;  ///< the program's; names the order in which it ran, not where it is played
  std::vector<std::string> ranges{};  ///< NVTX, that its thread was in; outermost first
  std::vector<uint32_t> after{};      ///< launches of the iteration that it waits for
  bool of_graph = false;              ///< a node of a graph that the program launched
};

/// Host memory that keeps it, but for what the program itself gave: arguments and the host ends of copies.
size_t bookkeeping_bytes(const Call& call);

/// Does it again, on `stream` (which may be capturing).
void issue(const Call& call, CUstream stream);

/// "memcpy HtoD", "memset" or the kernel's name as its source has it.
std::string readable_name(const Call& call);
/// For messages: "grid 64x1x1, block 512x1x1, 1024 B shared, attributes 4 6", or the bytes of a copy.
std::string shape_of(const Call& call);

}  // namespace kjoule::driver
