#include "cuda/driver_calls.hpp"

#include <gtest/gtest.h>

namespace kjoule::cuda {
namespace {

TEST(DriverCalls, NoStreamIsTheThreadsOwnInVariantsForIt) {
  ASSERT_EQ(driver_call_kind(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz), DriverCallKind::launch);
  cuLaunchKernel_params launch{};
  EXPECT_EQ(read_launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, &launch).stream, CU_STREAM_PER_THREAD);
  EXPECT_EQ(read_launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &launch).stream, nullptr);
  launch.hStream = CU_STREAM_LEGACY;
  EXPECT_EQ(read_launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, &launch).stream, CU_STREAM_LEGACY);
  cuMemcpyHtoD_v2_params copy{};
  EXPECT_EQ(read_launch(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2_ptds, &copy).stream, CU_STREAM_PER_THREAD);
  cuEventRecord_params event{};
  EXPECT_EQ(read_event(CUPTI_DRIVER_TRACE_CBID_cuEventRecord_ptsz, &event).second, CU_STREAM_PER_THREAD);
  cuMemAllocAsync_params allocation{};
  EXPECT_EQ(stream_of_allocation(CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz, &allocation),
            CU_STREAM_PER_THREAD);
  EXPECT_FALSE(stream_of_allocation(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &allocation));
}

TEST(DriverCalls, MemoryIsKnownByTheCallThatAllocatesIt) {
  CUdeviceptr address = 0x7f0000000000;
  cuMemAllocManaged_params managed{&address, 100, 0};
  EXPECT_EQ(read_allocation(CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, &managed),
            (Allocation{address, 100, MemoryKind::managed}));
  void* host = &address;
  cuMemHostAlloc_params pinned{&host, 64, 0};
  EXPECT_EQ(read_allocation(CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc, &pinned),
            (Allocation{reinterpret_cast<uint64_t>(host), 64, MemoryKind::host}));
  cuMemUnmap_params unmapped{address, 4096};
  EXPECT_EQ(read_release(CUPTI_DRIVER_TRACE_CBID_cuMemUnmap, &unmapped), std::pair(address, size_t{4096}));
}

}  // namespace
}  // namespace kjoule::cuda
