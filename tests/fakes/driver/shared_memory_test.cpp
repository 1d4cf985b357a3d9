#include "cuda/driver/shared_memory.hpp"

#include <gtest/gtest.h>

#include "cuda/watch/program_state.hpp"

namespace kjoule::cuda {
namespace {

/// The calls of a program, as CUPTI reports them.
class Calls {
 public:
  const SharedMemory& shared() const { return state_.shared(); }
  template <typename Parameters>
  void make(CUpti_CallbackId id, const char* name, const Parameters& parameters) {
    CUpti_CallbackData data{};
    data.functionName = name;
    data.functionParams = &parameters;
    state_.on_enter(id, data);
    state_.on_success(id, data);
  }
  void open(CUdeviceptr address) {
    make(CUPTI_DRIVER_TRACE_CBID_cuIpcOpenMemHandle_v2, "cuIpcOpenMemHandle_v2",
         cuIpcOpenMemHandle_v2_params{&address, {}, 0});
  }
  void close(CUdeviceptr address) {
    make(CUPTI_DRIVER_TRACE_CBID_cuIpcCloseMemHandle, "cuIpcCloseMemHandle",
         cuIpcCloseMemHandle_params{address});
  }
  void import(CUmemGenericAllocationHandle handle) {
    make(CUPTI_DRIVER_TRACE_CBID_cuMemImportFromShareableHandle, "cuMemImportFromShareableHandle",
         cuMemImportFromShareableHandle_params{&handle, nullptr, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR});
  }
  void create(CUmemGenericAllocationHandle handle) {
    make(CUPTI_DRIVER_TRACE_CBID_cuMemCreate, "cuMemCreate", cuMemCreate_params{&handle, 4096, nullptr, 0});
  }
  void map(CUdeviceptr address, CUmemGenericAllocationHandle handle) {
    make(CUPTI_DRIVER_TRACE_CBID_cuMemMap, "cuMemMap", cuMemMap_params{address, 4096, 0, handle, 0});
  }
  void unmap(CUdeviceptr address, size_t bytes) {
    make(CUPTI_DRIVER_TRACE_CBID_cuMemUnmap, "cuMemUnmap", cuMemUnmap_params{address, bytes});
  }

 private:
  ProgramState state_;
};

constexpr CUdeviceptr kAddress = 0x7f0000000000;

TEST(SharedMemory, IsOpenUntilItIsClosedAsOften) {
  Calls calls;
  EXPECT_EQ(calls.shared().mapped_by(), nullptr);
  calls.open(kAddress);
  calls.open(kAddress);
  EXPECT_STREQ(calls.shared().mapped_by(), "cuIpcOpenMemHandle_v2");
  calls.close(kAddress);
  EXPECT_STREQ(calls.shared().mapped_by(), "cuIpcOpenMemHandle_v2");
  calls.close(kAddress);
  EXPECT_EQ(calls.shared().mapped_by(), nullptr);
}

TEST(SharedMemory, IsMappedFromImportedHandlesUntilItIsUnmapped) {
  Calls calls;
  calls.create(1);
  calls.map(kAddress, 1);
  calls.import(2);
  EXPECT_EQ(calls.shared().mapped_by(), nullptr) << "nothing is mapped yet";
  calls.map(kAddress + 4096, 2);
  EXPECT_STREQ(calls.shared().mapped_by(), "cuMemImportFromShareableHandle");
  calls.unmap(kAddress, 4096);
  EXPECT_NE(calls.shared().mapped_by(), nullptr) << "the program's own memory was unmapped";
  calls.unmap(kAddress, 8192);
  EXPECT_EQ(calls.shared().mapped_by(), nullptr);
  calls.create(2);
  calls.map(kAddress, 2);
  EXPECT_EQ(calls.shared().mapped_by(), nullptr) << "the handle is that of the program's own memory now";
}

TEST(SharedMemory, OfAPoolIsFreedLikeOthers) {
  Calls calls;
  CUdeviceptr address = kAddress;
  calls.make(CUPTI_DRIVER_TRACE_CBID_cuMemPoolImportPointer, "cuMemPoolImportPointer",
             cuMemPoolImportPointer_params{&address, nullptr, nullptr});
  EXPECT_STREQ(calls.shared().mapped_by(), "cuMemPoolImportPointer");
  calls.make(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, "cuMemFree_v2", cuMemFree_v2_params{address});
  EXPECT_EQ(calls.shared().mapped_by(), nullptr);
}

TEST(SharedMemory, EventsOfOthersAreKnown) {
  Calls calls;
  CUevent event = nullptr;
  EXPECT_FALSE(calls.shared().has_event());
  calls.make(CUPTI_DRIVER_TRACE_CBID_cuIpcOpenEventHandle, "cuIpcOpenEventHandle",
             cuIpcOpenEventHandle_params{&event, {}});
  EXPECT_TRUE(calls.shared().has_event());
  EXPECT_EQ(calls.shared().mapped_by(), nullptr);
}

}  // namespace
}  // namespace kjoule::cuda
