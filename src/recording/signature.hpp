#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kjoule {

// These functions write signatures (Launch::signature): launches with equal signatures are the same kernel.
// The callers decide which properties distinguish kernels: to_launches() (cuda/calls/recorded_launches.hpp)
// for operations on a GPU, and signature_of() (torch/describe.hpp) for operators on a CPU. Kernels of
// imported tables have other signatures (signature_of() in importers/imported_table.hpp), because a trace
// does not contain arguments.

/// Returns the signature of a kernel launch: "gemm <<<8x1x1, 256x1x1, 0>>> 1f2e3d4c". `argument_value_hash`
/// is a hash of the attributes and of the arguments that distinguish kernels; its lower 32 bits are used.
std::string kernel_signature(const std::string& name, const std::array<unsigned, 3>& grid,
                             const std::array<unsigned, 3>& block, unsigned shared_bytes,
                             uint64_t argument_value_hash);

/// Returns the signature of a copy of width (bytes) x height x depth: "memcpy HtoD 4096x1x1 B".
std::string copy_signature(const std::string& name, size_t width_bytes, size_t height, size_t depth);

/// Returns the signature of a memset of width x height elements: "memset 1024x1 of 4 B".
std::string memset_signature(size_t width, size_t height, unsigned element_bytes);

/// Returns the signature of an operator's call: its name, and for each argument a text with dtype, shape and
/// strides of a tensor, or the value of a scalar.
std::string operator_signature(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace kjoule
