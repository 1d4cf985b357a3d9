#include "cuda/calls/driver_calls.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <string>

#include "cuda/calls/driver_callbacks.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/driver/cupti.hpp"

namespace kjoule::cuda {
namespace {

/// Returns the names of the driver's calls by their ids, from CUPTI's header. Only real CUPTI libraries have
/// a function for this.
std::map<CUpti_CallbackId, std::string> names_of_calls() {
  std::map<CUpti_CallbackId, std::string> names;
  std::ifstream header(CALLBACK_IDS);
  const std::regex entry(R"(CUPTI_DRIVER_TRACE_CBID_(cu\w+)\s*=\s*(\d+))");
  std::smatch match;
  for (std::string line; std::getline(header, line);)
    if (std::regex_search(line, match, entry))
      names[static_cast<CUpti_CallbackId>(std::stoul(match[2]))] = match[1];
  return names;
}

TEST(DriverCalls, EveryCallOfCuptiHasAKind) {
  std::map<CUpti_CallbackId, std::string> names = names_of_calls();
  ASSERT_GT(names.size(), 800U) << CALLBACK_IDS;
  for (CUpti_CallbackId id = 1; id < CUPTI_DRIVER_TRACE_CBID_SIZE; ++id)
    EXPECT_NE(driver_call_kind(id), DriverCallKind::unknown)
        << names[id] << " (" << id << ") is in no list of src/cuda/calls/driver_call_kinds.cpp";
}

TEST(DriverCalls, CallsThatOrderOrChangeWorkAreNotReplayable) {
  const std::regex refused(
      "cuStream(Wait|Write)Value.*|cuStreamBatchMemOp.*|cuMem(cpy|cpy3D|Discard)Batch.*|cuMemBatch.*|"
      "cu(Signal|Wait)External.*|cu(Green)?Ctx(Record|Wait)Event|cuLaunchGrid.*|cuMemcpy.*(Peer|toA|Ato).*");
  for (const auto& [id, name] : names_of_calls())
    if (std::regex_match(name, refused)) {
      EXPECT_EQ(driver_call_kind(id), DriverCallKind::not_replayable) << name;
    }
  EXPECT_EQ(driver_call_kind(CUPTI_DRIVER_TRACE_CBID_SIZE), DriverCallKind::unknown);
}

/// Counts the callbacks of a call that is not replayable.
class WrittenValue {
 public:
  WrittenValue() {
    setenv("KJOULE_CUPTI", STAND_IN_CUPTI, 1);
    cupti_.emplace(
        [](void* seen, CUpti_CallbackDomain, CUpti_CallbackId, const void*) { ++*static_cast<int*>(seen); },
        &seen_);
    callbacks_.emplace(*cupti_);
    KJOULE_CU(cuInit(0));
    CUcontext context = nullptr;
    KJOULE_CU(cuDevicePrimaryCtxRetain(&context, 0));
    KJOULE_CU(cuCtxSetCurrent(context));
    KJOULE_CU(cuMemAlloc(&address_, sizeof(cuuint32_t)));
  }
  ~WrittenValue() {
    callbacks_->set(DriverCallbacks::Extent::none);
    cupti_->find<decltype(cuptiUnsubscribe)>("cuptiUnsubscribe")(nullptr);  // other tests may subscribe
    cuMemFree(address_);
  }
  WrittenValue(const WrittenValue&) = delete;
  WrittenValue& operator=(const WrittenValue&) = delete;
  int callbacks(DriverCallbacks::Extent extent) {
    callbacks_->set(extent);
    seen_ = 0;
    KJOULE_CU(cuStreamWriteValue32(nullptr, address_, 1, 0));
    return seen_;
  }

 private:
  int seen_ = 0;
  CUdeviceptr address_ = 0;
  std::optional<Cupti> cupti_;
  std::optional<DriverCallbacks> callbacks_;
};

TEST(DriverCalls, NotReplayableCallsAreSeenOnlyWhereTheyMatter) {
  WrittenValue call;
  using Extent = DriverCallbacks::Extent;
  EXPECT_EQ(call.callbacks(Extent::state), 0);
  EXPECT_EQ(call.callbacks(Extent::launches), 0) << "logging";
  EXPECT_EQ(call.callbacks(Extent::work), 2) << "searching: the call begins and ends";
  EXPECT_EQ(call.callbacks(Extent::events), 2) << "recording";
  EXPECT_EQ(call.callbacks(Extent::state), 0) << "released";
}

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
