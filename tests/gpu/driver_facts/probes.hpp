// Kernels that write a pattern into memory and check it later.
#pragma once
#include <cuda.h>

#include <cstddef>
#include <string>

namespace facts {

/// Makes the context current and loads the kernels, so that no later call here allocates memory.
void start_probes();

/// Launches a kernel that writes a pattern, which depends on the seed and on the position of each word. Does
/// not wait.
void launch_write(CUdeviceptr memory, size_t bytes, unsigned seed, CUstream stream = nullptr);

/// Launches a kernel that reads all of the memory. Does not wait.
void launch_read(CUdeviceptr memory, size_t bytes, unsigned seed, CUstream stream = nullptr);

/// Writes the same pattern from the host.
void write_on_host(void* memory, size_t bytes, unsigned seed);

/// Prints what a kernel reads in the memory. Ends the case after a fault.
void tell_read(const std::string& what, CUdeviceptr memory, size_t bytes, unsigned seed);

/// Prints whether a kernel can write to the memory. Ends the case after a fault.
void tell_write(const std::string& what, CUdeviceptr memory, size_t bytes, unsigned seed);

}  // namespace facts
