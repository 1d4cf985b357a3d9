#include "cuda/calls/graph_nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "cuda/driver/buffer.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/driver/module.hpp"

namespace kjoule::cuda {
namespace {

using Attributes = std::vector<CUlaunchAttribute>;

CUlaunchAttribute attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
  CUlaunchAttribute one{};
  one.id = id;
  one.value = value;
  return one;
}

/// A graph of one kernel with attributes, as it is read.
class GraphOfKernel : public testing::Test {
 protected:
  void SetUp() override {
    KJOULE_CU(cuInit(0));
    CUcontext context = nullptr;
    KJOULE_CU(cuDevicePrimaryCtxRetain(&context, 0));
    KJOULE_CU(cuCtxSetCurrent(context));
  }

  static decltype(GraphNode::work) work_with(Attributes attributes) {
    const Module program("any");
    const Buffer buffer(64 * sizeof(float));
    CUstream stream = nullptr;
    KJOULE_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    KJOULE_CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 64;
    config.hStream = stream;
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());
    CUdeviceptr address = buffer.address();
    float value = 1;
    unsigned count = 64;
    void* arguments[] = {&address, &value, &count};
    KJOULE_CU(cuLaunchKernelEx(&config, program.function("fill"), arguments, nullptr));
    CUgraph graph = nullptr;
    KJOULE_CU(cuStreamEndCapture(stream, &graph));
    FunctionTable functions;
    GraphNodes nodes = read_graph(graph, functions);
    cuGraphDestroy(graph);
    cuStreamDestroy(stream);
    return std::move(nodes.at(0).work);
  }

  static Attributes read_back(const Attributes& attributes) {
    const auto work = work_with(attributes);
    const auto* call = std::get_if<Call>(&work);
    return call == nullptr ? Attributes{} : std::get<KernelCall>(call->what).attributes;
  }
};

TEST_F(GraphOfKernel, KeepsAttributesThatDifferFromTheDefault) {
  CUlaunchAttributeValue priority{}, map{}, preferred{}, scheduling{};
  priority.priority = -2;
  map.memSyncDomainMap = {2, 3};
  preferred.preferredClusterDim = {4, 2, 1};
  scheduling.nvlinkUtilCentricScheduling = 1;
  const Attributes given{attribute(CU_LAUNCH_ATTRIBUTE_PRIORITY, priority),
                         attribute(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, map),
                         attribute(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, preferred),
                         attribute(CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING, scheduling)};
  const Attributes read = read_back(given);
  for (const CUlaunchAttribute& one : given)
    EXPECT_EQ(std::ranges::count(read, one.id, &CUlaunchAttribute::id), 1) << "attribute " << one.id;
  EXPECT_EQ(read.size(), given.size());
}

TEST_F(GraphOfKernel, LeavesOutTheDefaultMapOfDomains) {
  CUlaunchAttributeValue map{};
  map.memSyncDomainMap = {0, 1};
  EXPECT_TRUE(read_back({attribute(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, map)}).empty());
}

TEST_F(GraphOfKernel, IsNotReplayableIfTheDeviceMayChangeIt) {
  CUlaunchAttributeValue updatable{};
  updatable.deviceUpdatableKernelNode.deviceUpdatable = 1;
  const auto work = work_with({attribute(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, updatable)});
  const auto* unknown = std::get_if<UnknownNode>(&work);
  ASSERT_NE(unknown, nullptr);
  EXPECT_EQ(unknown->what, "a kernel whose parameters the device may change");
}

}  // namespace
}  // namespace kjoule::cuda
