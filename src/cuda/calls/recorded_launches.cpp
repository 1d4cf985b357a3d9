#include "cuda/calls/recorded_launches.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/files/files.hpp"
#include "cuda/calls/argument_values.hpp"
#include "cuda/calls/launch_hashes.hpp"
#include "cuda/calls/launch_pointers.hpp"
#include "recording/kernel_rules.hpp"
#include "recording/signature.hpp"

namespace kjoule::cuda {

namespace {

std::string hexadecimal(const std::vector<std::byte>& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

nlohmann::json attributes_of(const KernelCall& kernel) {
  nlohmann::json ids = nlohmann::json::array();
  for (const CUlaunchAttribute& attribute : kernel.attributes) ids.push_back(static_cast<int>(attribute.id));
  return ids;
}

/// Returns a hash of the attributes' kinds and of cluster sizes. Other attribute values are addresses or
/// hardly differ, and the unused bytes of a value are uninitialised.
uint64_t hash_of_attributes(const KernelCall& kernel) {
  std::vector<unsigned> words;
  for (const CUlaunchAttribute& attribute : kernel.attributes) {
    words.push_back(attribute.id);
    const auto& cluster = attribute.value.clusterDim;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      words.insert(words.end(), {cluster.x, cluster.y, cluster.z});
    const auto& preferred = attribute.value.preferredClusterDim;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION)
      words.insert(words.end(), {preferred.x, preferred.y, preferred.z});
  }
  return XXH3_64bits(words.data(), words.size() * sizeof(unsigned));
}

/// Returns whether the attribute lets a launch begin before the previous one has ended.
bool is_programmatic(const CUlaunchAttribute& attribute) {
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
    return attribute.value.programmaticStreamSerializationAllowed != 0;
  return attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
}

bool is_cooperative(const CUlaunchAttribute& attribute) {
  return attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && attribute.value.cooperative != 0;
}

/// Returns a hash of all properties of a kernel launch except its arguments.
uint64_t hash_of_shape_and_attributes(const KernelCall& kernel) {
  return hash_kernel_shape(kernel.function->handle, kernel.grid, kernel.block, kernel.shared_bytes,
                           hash_of_attributes(kernel));
}

/// Returns a hash of the arguments for each call; 0 for calls that are not kernels.
std::vector<uint64_t> argument_hashes(const std::vector<Call>& calls, const Allocations& device) {
  const AddressSpace memory(read_text("/proc/self/maps"), device);
  std::vector<LaunchArguments> launches;
  std::vector<size_t> places;
  for (size_t i = 0; i < calls.size(); ++i) {
    const auto* kernel = std::get_if<KernelCall>(&calls[i].what);
    if (kernel == nullptr) continue;
    launches.push_back({hash_of_shape_and_attributes(*kernel), &kernel->arguments});
    places.push_back(i);
  }
  const auto found = argument_value_hashes(launches, [&](uint64_t word) { return memory.contains(word); });
  std::vector<uint64_t> hashes(calls.size(), 0);
  for (size_t i = 0; i < places.size(); ++i) hashes[places[i]] = found[i];
  return hashes;
}

void describe(const KernelCall& kernel, uint64_t arguments, Launch& launch) {
  const std::array words{arguments, hash_of_attributes(kernel)};
  launch.signature = kernel_signature(launch.name, kernel.grid, kernel.block, kernel.shared_bytes,
                                      XXH3_64bits(words.data(), sizeof words));
  launch.detail = {{"function", kernel.function->name},
                   {"grid", kernel.grid},
                   {"block", kernel.block},
                   {"shared_bytes", kernel.shared_bytes},
                   {"argument_bytes", kernel.arguments.size()},
                   {"arguments", hexadecimal(kernel.arguments)},
                   {"argument_offsets", kernel.function->offsets},
                   {"attributes", attributes_of(kernel)}};
  if (std::any_of(kernel.attributes.begin(), kernel.attributes.end(), is_programmatic))
    launch.detail["programmatic"] = true;
  if (std::any_of(kernel.attributes.begin(), kernel.attributes.end(), is_cooperative))
    launch.detail["cooperative"] = true;
}

void describe(const CopyCall& copy, uint64_t, Launch& launch) {
  launch.signature =
      copy_signature(launch.name, copy.shape.WidthInBytes, copy.shape.Height, copy.shape.Depth);
  launch.detail = {{"bytes", copy.bytes()}};
}

void describe(const MemsetCall& set, uint64_t, Launch& launch) {
  launch.signature = memset_signature(set.width, set.height, set.element_bytes);
  launch.detail = {{"bytes", set.width * set.height * set.element_bytes}, {"value", set.value}};
}

}  // namespace

std::vector<Launch> to_launches(const std::vector<Call>& calls, const Allocations& device) {
  const std::vector<uint64_t> arguments = argument_hashes(calls, device);
  std::map<CUstream, int> streams;  // numbered in order of first use
  KernelRules rules;
  std::vector<Launch> launches;
  for (size_t i = 0; i < calls.size(); ++i) {
    Launch launch;
    launch.name = readable_name(calls[i]);
    const bool is_kernel = std::holds_alternative<KernelCall>(calls[i].what);
    launch.tier = is_kernel ? rules.classify(launch.name).tier : Tier::cuda_runtime;
    std::visit([&](const auto& what) { describe(what, arguments[i], launch); }, calls[i].what);
    launch.detail["stream"] =
        streams.emplace(calls[i].stream, static_cast<int>(streams.size())).first->second;
    launch.detail["after"] = calls[i].waits_for;
    if (const auto* kernel = std::get_if<KernelCall>(&calls[i].what);
        kernel != nullptr && !host_memory_of(*kernel, device).empty())
      launch.detail[kUsesHostMemory] = true;
    if (!calls[i].ranges.empty()) launch.detail["ranges"] = calls[i].ranges;
    for (const CollectiveMessage& message : calls[i].messages)
      launch.detail["messages"].push_back(write_fields(message));
    launches.push_back(std::move(launch));
  }
  return launches;
}

}  // namespace kjoule::cuda
