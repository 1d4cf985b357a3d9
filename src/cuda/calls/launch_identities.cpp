#include "cuda/calls/launch_identities.hpp"

#include <xxhash.h>

#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace kjoule::cuda {

namespace {

uint64_t hash_of(const std::vector<uint64_t>& words) {
  return XXH3_64bits(words.data(), words.size() * sizeof(uint64_t));
}

uint64_t hash_of(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

/// Returns a hash of the attributes that the driver reports of a kernel's code.
uint64_t code_hash(CUfunction function) {
  CUdevice device = 0;
  cuCtxGetDevice(&device);
  std::vector<uint64_t> words;
  for (const auto attribute :
       {CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_BINARY_VERSION}) {
    int value = 0;
    if (cuFuncGetAttribute(&value, attribute, function) != CUDA_SUCCESS)
      cuKernelGetAttribute(&value, attribute, reinterpret_cast<CUkernel>(function), device);
    words.push_back(static_cast<uint64_t>(value));
  }
  return hash_of(words);
}

LaunchIdentity launch_identity(const Function& function, const std::array<unsigned, 3>& grid,
                               const std::array<unsigned, 3>& block, unsigned shared_bytes) {
  const uint64_t name = hash_of(function.name);
  return {hash_of({name, code_hash(function.handle), grid[0], grid[1], grid[2], block[0], block[1], block[2],
                   shared_bytes}),
          name};
}

/// Copies are identified by their size alone, because a unified copy (cuMemcpy) does not state its direction.
LaunchIdentity launch_identity(const CopyCall& copy) {
  const uint64_t name = hash_of(std::string_view("memcpy"));
  return {hash_of({name, copy.bytes(), copy.shape.Height}), name};
}

LaunchIdentity launch_identity(const MemsetCall& set) {
  const uint64_t name = hash_of(std::string_view("memset"));
  return {hash_of({name, set.width, set.height, set.element_bytes}), name};
}

LaunchIdentity launch_identity(const KernelCall& kernel) {
  return launch_identity(*kernel.function, kernel.grid, kernel.block, kernel.shared_bytes);
}

LaunchIdentity launch_identity(const std::vector<Call>& nodes) {
  LaunchIdentity all;
  for (const Call& node : nodes) {
    const LaunchIdentity one = std::visit([](const auto& what) { return launch_identity(what); }, node.what);
    all.exact_hash += one.exact_hash;
    all.name_hash += one.name_hash;
  }
  return {hash_of({all.exact_hash, nodes.size()}), hash_of({all.name_hash, nodes.size()})};
}

}  // namespace

LaunchIdentity launch_identity(const LaunchView& view, FunctionTable& functions, const Graphs& graphs) {
  try {
    if (const auto* kernel = std::get_if<KernelView>(&view.what))
      return launch_identity(*functions.get(kernel->function), kernel->grid, kernel->block,
                             kernel->shared_bytes);
    if (const auto* graph = std::get_if<GraphView>(&view.what))
      return launch_identity(graphs.launches(graph->graph).calls);
  } catch (const Error&) {
    return {};  // such a launch cannot be recorded either
  }
  if (const auto* copy = std::get_if<CopyCall>(&view.what)) return launch_identity(*copy);
  return launch_identity(std::get<MemsetCall>(view.what));
}

const LaunchIdentity& LaunchIdentities::get(uint64_t key, const LaunchView& view, FunctionTable& functions,
                                            const Graphs& graphs) {
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_[key] = launch_identity(view, functions, graphs);
}

}  // namespace kjoule::cuda
