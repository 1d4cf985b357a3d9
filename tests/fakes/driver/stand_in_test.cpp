// Tests that the stand-ins behave as tests of the injected library assume.

#include <cupti.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

#define SUCCEEDS(call) ASSERT_EQ(CUDA_SUCCESS, call)

constexpr unsigned kCount = 1000;

/// The activities that CUPTI delivers at a flush, by name.
struct Ran {
  std::string name;
  uint64_t begin_ns, end_ns, node;
  uint32_t stream, correlation;
};
std::vector<Ran> ran;

void give_buffer(uint8_t** buffer, size_t* size, size_t* records) {
  *size = 2000;  // several are needed
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *records = 0;
}

template <typename Record>
Ran read(const CUpti_Activity* any, const char* name) {
  const auto* record = reinterpret_cast<const Record*>(any);
  return {name, record->start, record->end, record->graphNodeId, record->streamId, record->correlationId};
}

void take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
      ran.push_back(read<CUpti_ActivityMemcpy6>(record, "memcpy"));
    else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET)
      ran.push_back(read<CUpti_ActivityMemset4>(record, "memset"));
    else
      ran.push_back(
          read<CUpti_ActivityKernel10>(record, reinterpret_cast<CUpti_ActivityKernel10*>(record)->name));
  }
  std::free(buffer);
}

class StandIn : public testing::Test {
 protected:
  void SetUp() override {
    SUCCEEDS(cuInit(0));
    CUcontext context = nullptr;
    SUCCEEDS(cuDevicePrimaryCtxRetain(&context, 0));
    SUCCEEDS(cuCtxSetCurrent(context));
    SUCCEEDS(cuModuleLoadData(&module_, "any"));
    SUCCEEDS(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
    SUCCEEDS(cuMemAlloc(&x_, kCount * sizeof(float)));
    SUCCEEDS(cuMemAlloc(&y_, kCount * sizeof(float)));
    ran.clear();
    cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
    for (const auto kind : kKinds) cuptiActivityEnable(kind);
  }
  void TearDown() override {
    for (const auto kind : kKinds) cuptiActivityDisable(kind);
    cuMemFree(x_);
    cuMemFree(y_);
    cuModuleUnload(module_);
  }

  CUfunction function(const char* name) {
    CUfunction found = nullptr;
    cuModuleGetFunction(&found, module_, name);
    return found;
  }
  void fill(CUdeviceptr to, float value, CUstream stream) {
    unsigned count = kCount;
    void* arguments[] = {&to, &value, &count};
    SUCCEEDS(cuLaunchKernel(function("fill"), 4, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  }
  void add(CUdeviceptr to, CUdeviceptr from, CUstream stream) {
    unsigned count = kCount;
    void* arguments[] = {&to, &from, &count};
    SUCCEEDS(cuLaunchKernel(function("add"), 4, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  }
  std::vector<float> read_y() {
    std::vector<float> values(kCount);
    cuMemcpyDtoH(values.data(), y_, kCount * sizeof(float));
    return values;
  }

  static constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                  CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
  CUmodule module_ = nullptr;
  CUstream stream_ = nullptr;
  CUdeviceptr x_ = 0, y_ = 0;
};

TEST_F(StandIn, ActivitiesOfAStreamFollowEachOtherAndEventsBracketThem) {
  CUevent begin = nullptr;
  CUevent end = nullptr;
  SUCCEEDS(cuEventCreate(&begin, 0));
  SUCCEEDS(cuEventCreate(&end, 0));
  fill(x_, 1, stream_);
  uint64_t before = 0, after = 0;
  cuptiGetTimestamp(&before);
  SUCCEEDS(cuEventRecord(begin, stream_));
  fill(y_, 2, stream_);
  add(y_, x_, stream_);
  SUCCEEDS(cuMemsetD32Async(x_, 0, kCount, stream_));
  SUCCEEDS(cuEventRecord(end, stream_));
  SUCCEEDS(cuStreamSynchronize(stream_));
  cuptiGetTimestamp(&after);
  EXPECT_EQ(std::vector<float>(kCount, 3), read_y());
  ASSERT_EQ(CUPTI_SUCCESS, cuptiActivityFlushAll(0));
  ASSERT_EQ(5u, ran.size());
  const char* names[] = {"fill", "fill", "add", "memset", "memcpy"};
  uint32_t id = 0;
  cuptiGetStreamIdEx(nullptr, stream_, 0, &id);
  for (size_t i = 0; i < ran.size(); ++i) {
    EXPECT_EQ(names[i], ran[i].name);
    EXPECT_LT(ran[i].begin_ns, ran[i].end_ns);
    if (i > 0) {
      EXPECT_GT(ran[i].correlation, ran[i - 1].correlation);
    }
    if (i > 0 && i < 4) {
      EXPECT_GE(ran[i].begin_ns + 1, ran[i - 1].end_ns);
    }
    if (i < 4) {
      EXPECT_EQ(id, ran[i].stream);
    }
  }
  float milliseconds = 0;
  SUCCEEDS(cuEventElapsedTime(&milliseconds, begin, end));
  double busy_ns = 0;
  for (size_t i = 1; i < 4; ++i) busy_ns += static_cast<double>(ran[i].end_ns - ran[i].begin_ns);
  EXPECT_GE(milliseconds * 1e6, busy_ns - 10);
  // with a wide tolerance: the host may issue an event long after the work before it has ended
  EXPECT_LE(milliseconds * 1e6, static_cast<double>(after - before) + 10);
  uint64_t now = 0;
  cuptiGetTimestamp(&now);
  EXPECT_GE(now, ran[3].end_ns) << "the host went on before the device was done";
}

TEST_F(StandIn, LosesTheKernelThatItIsAskedToLose) {
  setenv("FAKE_CUPTI_LOSES", "2", 1);
  fill(x_, 1, stream_);
  add(y_, x_, stream_);
  fill(y_, 2, stream_);
  SUCCEEDS(cuStreamSynchronize(stream_));
  cuptiActivityFlushAll(0);
  ASSERT_EQ(2u, ran.size());
  EXPECT_EQ("fill", ran[0].name);
  EXPECT_EQ("fill", ran[1].name);
}

TEST_F(StandIn, NodesOfALaunchedGraphHaveTheIdsOfThoseItWasMadeOf) {
  SUCCEEDS(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  fill(y_, 1, stream_);
  CUstream other = nullptr;
  CUevent forked = nullptr;
  CUevent joined = nullptr;
  SUCCEEDS(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  SUCCEEDS(cuEventCreate(&forked, 0));
  SUCCEEDS(cuEventCreate(&joined, 0));
  SUCCEEDS(cuEventRecord(forked, stream_));
  SUCCEEDS(cuStreamWaitEvent(other, forked, 0));
  fill(x_, 4, other);
  SUCCEEDS(cuEventRecord(joined, other));
  SUCCEEDS(cuStreamWaitEvent(stream_, joined, 0));
  add(y_, x_, stream_);
  CUgraph graph = nullptr;
  SUCCEEDS(cuStreamEndCapture(stream_, &graph));
  EXPECT_EQ(0u, ran.size());

  CUgraphNode from[4];
  CUgraphNode to[4];
  CUgraphEdgeData data[4];
  size_t edges = 4;
  SUCCEEDS(cuGraphGetEdges(graph, from, to, data, &edges));
  EXPECT_EQ(3u, edges);
  CUgraphNode nodes[3];
  size_t count = 3;
  SUCCEEDS(cuGraphGetNodes(graph, nodes, &count));
  std::vector<uint64_t> ids(3);
  for (size_t i = 0; i < 3; ++i) cuptiGetGraphNodeId(nodes[i], &ids[i]);

  CUgraphExec executable = nullptr;
  SUCCEEDS(cuGraphInstantiate(&executable, graph, 0));
  SUCCEEDS(cuGraphDestroy(graph));
  SUCCEEDS(cuGraphLaunch(executable, stream_));
  SUCCEEDS(cuStreamSynchronize(stream_));
  EXPECT_EQ(std::vector<float>(kCount, 5), read_y());
  cuptiActivityFlushAll(0);
  ASSERT_EQ(4u, ran.size());
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(ids[i], ran[i].node);
  EXPECT_EQ(0u, ran[3].node);
}

TEST_F(StandIn, AForkThatIsNotJoinedEndsNoCapture) {
  CUstream other = nullptr;
  CUevent forked = nullptr;
  SUCCEEDS(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  SUCCEEDS(cuEventCreate(&forked, 0));
  SUCCEEDS(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED));
  SUCCEEDS(cuEventRecord(forked, stream_));
  SUCCEEDS(cuStreamWaitEvent(other, forked, 0));
  fill(x_, 4, other);
  CUgraph graph = nullptr;
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(stream_, &graph));
}

TEST_F(StandIn, ACaptureForbidsAllocatingUnlessTheThreadIsRelaxed) {
  SUCCEEDS(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  SUCCEEDS(cuThreadExchangeStreamCaptureMode(&mode));
  CUdeviceptr block = 0;
  SUCCEEDS(cuMemAlloc(&block, 1));
  SUCCEEDS(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemAlloc(&block, 1));
  CUgraph graph = nullptr;
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream_, &graph));
}

/// Callbacks seen, by name and site.
std::map<std::string, int> seen;

void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId id, const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  ++seen[std::string(call.functionName) + (call.callbackSite == CUPTI_API_ENTER ? " enter" : " exit")];
  if (id == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2 && call.callbackSite == CUPTI_API_EXIT) {
    const auto& p = *static_cast<const cuMemAlloc_v2_params*>(call.functionParams);
    ++seen["bytes " + std::to_string(p.bytesize) + (*p.dptr != 0 ? " given" : "")];
    ++seen["result " + std::to_string(*static_cast<const CUresult*>(call.functionReturnValue))];
  }
}

TEST_F(StandIn, TellsTheSubscriberOfWhatItEnabled) {
  CUpti_SubscriberHandle subscriber = nullptr;
  ASSERT_EQ(CUPTI_SUCCESS, cuptiSubscribe(&subscriber, on_call, nullptr));
  EXPECT_EQ(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, cuptiSubscribe(&subscriber, on_call, nullptr));
  cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
  CUdeviceptr block = 0;
  SUCCEEDS(cuMemAlloc(&block, 77));
  EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&block, size_t{1} << 50));
  fill(x_, 1, stream_);
  cuptiUnsubscribe(subscriber);
  EXPECT_EQ(2, seen["cuMemAlloc_v2 enter"]);
  EXPECT_EQ(1, seen["bytes 77 given"]);
  EXPECT_EQ(1, seen["result 2"]);
  EXPECT_EQ(0, seen["cuLaunchKernel enter"]);
}

TEST_F(StandIn, WhatWasFreedComesBackWithItsOldBytes) {
  fill(y_, 7, stream_);
  SUCCEEDS(cuStreamSynchronize(stream_));
  const CUdeviceptr before = y_;
  SUCCEEDS(cuMemFree(y_));
  SUCCEEDS(cuMemAlloc(&y_, kCount * sizeof(float)));
  EXPECT_EQ(before, y_);
  EXPECT_EQ(std::vector<float>(kCount, 7), read_y());
}

TEST_F(StandIn, AFunctionIsNoKernelAndAKernelNoFunction) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  SUCCEEDS(cuLibraryLoadData(&library, "any", nullptr, nullptr, 0, nullptr, nullptr, 0));
  SUCCEEDS(cuLibraryGetKernel(&kernel, library, "add"));
  const char* name = nullptr;
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuFuncGetName(&name, reinterpret_cast<CUfunction>(kernel)));
  SUCCEEDS(cuKernelGetName(&name, kernel));
  EXPECT_STREQ("add", name);
  size_t offset = 0;
  size_t size = 0;
  SUCCEEDS(cuFuncGetParamInfo(function("add"), 2, &offset, &size));
  EXPECT_EQ(16u, offset);
  EXPECT_EQ(4u, size);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(function("add"), 3, &offset, &size));
}

// This test makes the context of its process unusable, so it runs last or alone.
TEST_F(StandIn, ZAFaultEndsTheContext) {
  SUCCEEDS(cuMemsetD32Async(x_, kCount, 1, stream_));
  unsigned count = 1;
  unsigned rows = kCount;
  void* arguments[] = {&y_, &y_, &x_, &rows, &count};
  SUCCEEDS(cuLaunchKernel(function("gather"), 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr));
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream_));
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemFree(x_));
}

}  // namespace
