#include "cuda/calls/launch_attributes.hpp"

#include <algorithm>

namespace kjoule::cuda {

bool is_set(const CUlaunchAttribute& attribute) {
  const CUlaunchAttributeValue& value = attribute.value;
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      return value.accessPolicyWindow.num_bytes != 0;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      return value.cooperative != 0;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      return value.clusterDim.x != 0;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return value.clusterSchedulingPolicyPreference != CU_CLUSTER_SCHEDULING_POLICY_DEFAULT;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      return value.priority != 0;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:  // by default, to the domains 0 and 1, where there are two
      return value.memSyncDomainMap.default_ != 0 || value.memSyncDomainMap.remote > 1;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
      return value.memSyncDomain != CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      return value.preferredClusterDim.x != 0;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      return value.deviceUpdatableKernelNode.deviceUpdatable != 0;
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      return value.nvlinkUtilCentricScheduling != 0;
    default:
      return static_cast<int>(value.sharedMemCarveout) > 0;
  }
}

std::vector<CUlaunchAttribute> attributes_of_stream(CUstream stream) {
  std::vector<CUlaunchAttribute> attributes;
  for (const CUlaunchAttributeID id :
       {CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
        CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN}) {
    CUlaunchAttribute attribute{};
    attribute.id = id;
    if (cuStreamGetAttribute(stream, id, &attribute.value) == CUDA_SUCCESS && is_set(attribute))
      attributes.push_back(attribute);
  }
  return attributes;
}

void add_missing(std::vector<CUlaunchAttribute>& attributes, const std::vector<CUlaunchAttribute>& others) {
  for (const CUlaunchAttribute& other : others) {
    const auto is_same = [&](const CUlaunchAttribute& one) { return one.id == other.id; };
    if (std::ranges::none_of(attributes, is_same)) attributes.push_back(other);
  }
}

}  // namespace kjoule::cuda
