#include "blas/captured_kernels.hpp"

#include "recording/activity.hpp"

namespace kjoule::blas {

namespace {

std::string name_of(const Driver& driver, const CUDA_KERNEL_NODE_PARAMS& node) {
  const char* name = nullptr;
  // A launch through the CUDA runtime has a CUkernel, also where a CUfunction is expected.
  if (node.func != nullptr && driver.cuFuncGetName(&name, node.func) == CUDA_SUCCESS)
    return readable_name(name);
  auto* kernel = node.kern != nullptr ? node.kern : reinterpret_cast<CUkernel>(node.func);
  driver.check(driver.cuKernelGetName(&name, kernel), "the name of a kernel could not be read");
  return readable_name(name);
}

std::vector<CapturedKernel> kernels_in(const Driver& driver, CUgraph graph) {
  constexpr const char* kFailure = "a captured call could not be read";
  size_t count = 0;
  driver.check(driver.cuGraphGetNodes(graph, nullptr, &count), kFailure);
  std::vector<CUgraphNode> nodes(count);
  if (count > 0) driver.check(driver.cuGraphGetNodes(graph, nodes.data(), &count), kFailure);
  std::vector<CapturedKernel> kernels;
  for (CUgraphNode node : nodes) {
    CUgraphNodeType type{};
    driver.check(driver.cuGraphNodeGetType(node, &type), kFailure);
    if (type != CU_GRAPH_NODE_TYPE_KERNEL) continue;
    CUDA_KERNEL_NODE_PARAMS p{};
    driver.check(driver.cuGraphKernelNodeGetParams(node, &p), kFailure);
    kernels.push_back(
        {name_of(driver, p), {p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ}});
  }
  return kernels;
}

}  // namespace

std::vector<CapturedKernel> captured_kernels(const Cublas& cublas, const std::function<CublasStatus()>& call,
                                             CublasStatus& status) {
  const Driver& driver = cublas.driver();
  driver.check(driver.cuStreamBeginCapture(cublas.stream(), CU_STREAM_CAPTURE_MODE_RELAXED),
               "a call of cuBLAS could not be captured");
  status = call();
  CUgraph graph = nullptr;
  const CUresult ended = driver.cuStreamEndCapture(cublas.stream(), &graph);
  if (status != kCublasSuccess || ended != CUDA_SUCCESS) {
    if (graph != nullptr) driver.cuGraphDestroy(graph);
    if (status == kCublasSuccess) status = kCublasNotSupported;
    return {};
  }
  try {
    std::vector<CapturedKernel> kernels = kernels_in(driver, graph);
    driver.cuGraphDestroy(graph);
    return kernels;
  } catch (...) {
    driver.cuGraphDestroy(graph);
    throw;
  }
}

}  // namespace kjoule::blas
