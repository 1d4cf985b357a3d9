#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "devices.hpp"
#include "memory.hpp"

namespace stand_in {

struct Dimensions {
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  size_t blocks() const { return size_t{grid[0]} * grid[1] * grid[2]; }
  size_t threads() const { return blocks() * block[0] * block[1] * block[2]; }
};

/// A kernel's access to the device's memory: checks each piece, and counts the bytes.
class Access {
 public:
  /// Returns the elements. Throws IllegalAddress unless all `count` elements are in allocated memory.
  template <typename T>
  T* operator()(T* first, size_t count) {
    const size_t bytes = count * sizeof(T);
    const auto address = reinterpret_cast<uint64_t>(first);
    if (bytes > 0 && !Memory::device().holds(address, bytes) && !HostMemory::mapped().holds(address, bytes))
      throw IllegalAddress("outside of all memory");
    if (address % alignof(T) != 0) throw IllegalAddress("misaligned");
    if (!Memory::device().is_reachable(address, Running::number()))
      throw IllegalAddress("memory that only another device can reach");
    bytes_ += bytes;
    return first;
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

/// A kernel that runs on the host.
struct Kernel {
  std::string name;
  std::vector<std::pair<size_t, size_t>> parameters;  ///< offset and size of each parameter
  size_t bytes = 0;                                   ///< size of all packed parameters
  std::function<void(Access&, const Dimensions&, const std::byte*)> run;
};

/// Creates a kernel from a function (Access&, const Dimensions&, arguments...), whose parameters are laid out
/// as in a C struct.
template <typename... Arguments>
Kernel make_kernel(const char* name, void (*function)(Access&, const Dimensions&, Arguments...)) {
  Kernel kernel;
  kernel.name = name;
  [[maybe_unused]] const auto add = [&](size_t size, size_t alignment) {
    const size_t offset = (kernel.bytes + alignment - 1) / alignment * alignment;
    kernel.parameters.emplace_back(offset, size);
    kernel.bytes = offset + size;
  };
  (add(sizeof(Arguments), alignof(Arguments)), ...);
  kernel.run = [function, parameters = kernel.parameters](Access& access, const Dimensions& dimensions,
                                                          const std::byte* packed) {
    std::tuple<Arguments...> values;
    size_t number = 0;
    const auto read = [&](auto& value) {
      std::memcpy(&value, packed + parameters[number++].first, sizeof value);
    };
    std::apply([&](auto&... value) { (read(value), ...); }, values);
    std::apply([&](auto&... value) { function(access, dimensions, value...); }, values);
  };
  return kernel;
}

/// The kernel that runs on this thread.
struct RunningKernel {
  double begin_ns = 0;  ///< virtual time at which it begins
  double waits_ns = 0;  ///< for how long it waits for other devices; set by the kernel itself
  /// Returns the virtual time to which it has come.
  double now_ns() const { return begin_ns + waits_ns; }
  /// Waits until a virtual time; does nothing if it has passed.
  void wait_until(double ns) { waits_ns = std::max(waits_ns, ns - begin_ns); }
};
RunningKernel& running_kernel();

/// Returns the value of the device's clock at a virtual time. With FAKE_CUDA_CLOCKS=apart, the clock of
/// device N is N x 1 ms ahead, and runs N x 10 ppm faster.
uint64_t device_clock(double virtual_ns);

/// Returns the kernel of this name; null if there is none.
const Kernel* find_kernel(const std::string& name);

std::vector<Kernel> page_kernels();
std::vector<Kernel> program_kernels();
std::vector<Kernel> blas_kernels();
std::vector<Kernel> outside_kernels();

}  // namespace stand_in
