// Can a CUPTI callback change what a driver call does, or what it returns?
#include <utility>

#include "driver_calls.hpp"
#include "facts.hpp"
#include "probes.hpp"

namespace facts {

namespace {

constexpr size_t kBytes = 4 << 20;
constexpr size_t kDummyBytes = 256;
constexpr size_t kAskedBytes = 1 << 20;
constexpr size_t kMoreBytes = 8 << 20;
constexpr unsigned kSeed = 17;

/// One pair of functions that allocate and free memory. Their results are names of CUDA results.
struct Way {
  const char* name;
  std::string (*allocate)(CUdeviceptr*, size_t);
  std::string (*release)(CUdeviceptr);
};

std::string after_waiting(CUresult result) {
  const CUresult waited = cuCtxSynchronize();
  return name_of(result) + (waited == CUDA_SUCCESS ? "" : ", waiting: " + name_of(waited));
}

void** as_pointer(CUdeviceptr* memory) {
  return reinterpret_cast<void**>(memory);
}

const Way kWays[] = {
    {"cuMemFree", [](CUdeviceptr* memory, size_t bytes) { return name_of(cuMemAlloc(memory, bytes)); },
     [](CUdeviceptr memory) { return name_of(cuMemFree(memory)); }},
    {"cuMemFreeAsync",
     [](CUdeviceptr* memory, size_t bytes) { return after_waiting(cuMemAllocAsync(memory, bytes, nullptr)); },
     [](CUdeviceptr memory) { return after_waiting(cuMemFreeAsync(memory, nullptr)); }},
    {"cudaFree",
     [](CUdeviceptr* memory, size_t bytes) { return name_of(cudaMalloc(as_pointer(memory), bytes)); },
     [](CUdeviceptr memory) { return name_of(cudaFree(reinterpret_cast<void*>(memory))); }},
    {"cudaFreeAsync",
     [](CUdeviceptr* memory, size_t bytes) {
       return name_of(cudaMallocAsync(as_pointer(memory), bytes, nullptr));
     },
     [](CUdeviceptr memory) {
       const cudaError_t result = cudaFreeAsync(reinterpret_cast<void*>(memory), nullptr);
       return name_of(result) + ", waiting: " + name_of(cudaDeviceSynchronize());
     }}};

/// Returns the address parameter of a call that frees memory; null for other calls. The callback changes the
/// parameter although it is declared constant.
CUdeviceptr* freed_address(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  void* parameters = const_cast<void*>(data.functionParams);
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
      return &static_cast<cuMemFree_v2_params*>(parameters)->dptr;
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz:
      return &static_cast<cuMemFreeAsync_params*>(parameters)->dptr;
    default:
      return nullptr;
  }
}

/// Returns the result of the call while its address is replaced.
std::string release_redirected(const Way& way, CUdeviceptr from, CUdeviceptr to) {
  int replaced = 0;
  const auto replace = [&](CUpti_CallbackId id, const CUpti_CallbackData& data) {
    CUdeviceptr* address = freed_address(id, data);
    if (data.callbackSite != CUPTI_API_ENTER || address == nullptr || *address != from) return;
    *address = to;
    ++replaced;
  };
  const Callbacks callbacks({CUPTI_CB_DOMAIN_DRIVER_API}, for_driver_calls(replace));
  const std::string result = way.release(from);
  tell("addresses that were replaced", std::to_string(replaced));
  return result;
}

CUdeviceptr allocated(const Way& way, size_t bytes) {
  CUdeviceptr memory = 0;
  const std::string result = way.allocate(&memory, bytes);
  if (memory != 0) return memory;
  tell("allocation", result);
  end_case();
}

void redirect(const Way& way, bool to_dummy) {
  start_probes();
  const CUdeviceptr memory = allocated(way, kBytes);
  const CUdeviceptr dummy = to_dummy ? allocated(way, kDummyBytes) : 0;
  tell_write("write of the original", memory, kBytes, kSeed);
  tell("the redirected call returns", release_redirected(way, memory, dummy));
  tell("range of the original", range_of(memory));
  if (to_dummy) tell("range of the dummy", range_of(dummy));
  tell_read("read of the original", memory, kBytes, kSeed);
  if (to_dummy) tell("freeing the dummy once more", way.release(dummy));
  tell("freeing the original, not redirected", way.release(memory));
}

/// Runs the work while the result of cuMemFree is replaced, and prints both results.
void replace_result(const std::string& what, CUresult by, const std::function<std::string()>& work) {
  std::string replaced = "no call";
  std::string result;
  {
    const auto replace = [&](CUpti_CallbackId id, const CUpti_CallbackData& data) {
      if (id != CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2 || data.callbackSite != CUPTI_API_EXIT) return;
      auto* returned = static_cast<CUresult*>(data.functionReturnValue);
      replaced = name_of(std::exchange(*returned, by));
    };
    const Callbacks callbacks({CUPTI_CB_DOMAIN_DRIVER_API}, for_driver_calls(replace));
    result = work();
  }
  tell(what, replaced + " is replaced by " + name_of(by) + ": the caller gets " + result);
}

void replace_results() {
  start_probes();
  for (const Way& way : {kWays[0], kWays[2]}) {
    const CUdeviceptr memory = allocated(way, kBytes);
    replace_result(way.name, CUDA_ERROR_OUT_OF_MEMORY, [&] { return way.release(memory); });
    tell(std::string(way.name) + " once more", way.release(memory));
    cudaGetLastError();
    replace_result(way.name + std::string(" of what is not allocated"), CUDA_SUCCESS,
                   [&] { return way.release(memory); });
  }
}

void grow(const Way& way) {
  start_probes();
  CUdeviceptr memory = 0;
  {
    const auto replace = [](CUpti_CallbackId id, const CUpti_CallbackData& data) {
      if (id != CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2 || data.callbackSite != CUPTI_API_ENTER) return;
      static_cast<cuMemAlloc_v2_params*>(const_cast<void*>(data.functionParams))->bytesize = kMoreBytes;
    };
    const Callbacks callbacks({CUPTI_CB_DOMAIN_DRIVER_API}, for_driver_calls(replace));
    memory = allocated(way, kAskedBytes);
  }
  tell("asked for", std::to_string(kAskedBytes) + " bytes, changed into " + std::to_string(kMoreBytes));
  tell("range", range_of(memory));
  tell_write("write of all that the callback asked for", memory, kMoreBytes, kSeed);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Way& way : kWays)
    for (const bool to_dummy : {true, false})
      all.push_back(
          {way.name + std::string(to_dummy ? " of a dummy" : " of null"), [=] { redirect(way, to_dummy); }});
  all.push_back({"result of cuMemFree", replace_results});
  all.push_back({"size of cuMemAlloc", [] { grow(kWays[0]); }});
  all.push_back({"size of cudaMalloc", [] { grow(kWays[2]); }});
  return all;
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  return facts::answer(count, arguments, facts::cases());
}
