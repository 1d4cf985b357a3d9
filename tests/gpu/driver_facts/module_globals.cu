// Which driver calls name the variables in a program's device code, and with which handles can they be found?
#include <cuda_runtime.h>

#include <cstdlib>
#include <set>

#include "cuda/driver/cubin_variables.hpp"
#include "driver_calls.hpp"
#include "facts.hpp"

__device__ int counter;          // that only kernels use
__device__ int set_by_host = 1;  // by cudaMemcpyToSymbol
__managed__ int managed;         // that the host uses too
__constant__ int constant = 2;   // that only kernels use
static __device__ int internal;  // without a name outside of this file
namespace some_namespace {
__device__ int named;
}

namespace facts {

namespace {

__global__ void count() {
  counter += set_by_host + constant;
  managed += 1;
  internal += 1;
  some_namespace::named += 1;
}

/// What the callbacks saw until the first launch.
struct Seen {
  CallList calls;
  std::vector<CUlibrary> libraries;
  std::vector<CUmodule> modules;
  CUfunction function = nullptr;
  std::set<std::string> names{"counter", "set_by_host", "managed", "constant"};  // and those in modules
};

template <class Parameters>
const Parameters& as(const CUpti_CallbackData& data) {
  return *static_cast<const Parameters*>(data.functionParams);
}

std::string found_at(CUresult result, CUdeviceptr address, size_t bytes) {
  if (result != CUDA_SUCCESS) return name_of(result);
  return std::to_string(bytes) + " bytes at " + hexadecimal(address);
}

std::string in_library(CUlibrary library, const std::string& name) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  const CUresult result = cuLibraryGetGlobal(&address, &bytes, library, name.c_str());
  return found_at(result, address, bytes);
}

std::string in_library_as_managed(CUlibrary library, const std::string& name) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  const CUresult result = cuLibraryGetManaged(&address, &bytes, library, name.c_str());
  return found_at(result, address, bytes);
}

std::string in_module(CUmodule module, const std::string& name) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  const CUresult result = cuModuleGetGlobal(&address, &bytes, module, name.c_str());
  return found_at(result, address, bytes);
}

/// Tells what the module of the launched function knows of the variable.
void look_by_function(const std::string& when, CUfunction function, const std::string& name) {
  CUmodule module = nullptr;
  const CUresult result = cuFuncGetModule(&module, function);
  tell("cuFuncGetModule and cuModuleGetGlobal " + when + ", " + name,
       result == CUDA_SUCCESS ? in_module(module, name) : "cuFuncGetModule: " + name_of(result));
}

/// Tells whether what is launched is a CUkernel. The last question, for a driver may take the handle for one.
void look_by_kernel(CUfunction function) {
  CUlibrary library = nullptr;
  const CUresult result = cuKernelGetLibrary(&library, reinterpret_cast<CUkernel>(function));
  tell("cuKernelGetLibrary of the launched function, counter",
       result == CUDA_SUCCESS ? in_library(library, "counter") : name_of(result));
}

/// Returns the name that the call looks for, or an empty text.
const char* name_parameter(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetGlobal:
      return as<cuLibraryGetGlobal_params>(data).name;
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetManaged:
      return as<cuLibraryGetManaged_params>(data).name;
    case CUPTI_DRIVER_TRACE_CBID_cuModuleGetGlobal_v2:
      return as<cuModuleGetGlobal_v2_params>(data).name;
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel:
      return as<cuLibraryGetKernel_params>(data).name;
    case CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction:
      return as<cuModuleGetFunction_params>(data).name;
    default:
      return "";
  }
}

/// Keeps the handle that a call returned.
void keep_handle(Seen& seen, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (*static_cast<const CUresult*>(data.functionReturnValue) != CUDA_SUCCESS) return;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData:
      return seen.libraries.push_back(*as<cuLibraryLoadData_params>(data).library);
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule:
      return seen.modules.push_back(*as<cuLibraryGetModule_params>(data).pMod);
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData:
      return seen.modules.push_back(*as<cuModuleLoadData_params>(data).module);
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx:
      return seen.modules.push_back(*as<cuModuleLoadDataEx_params>(data).module);
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary:
      return seen.modules.push_back(*as<cuModuleLoadFatBinary_params>(data).module);
    default:
      return;
  }
}

CUfunction launched_function(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return as<cuLaunchKernel_params>(data).f;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      return as<cuLaunchKernelEx_params>(data).f;
    default:
      return nullptr;
  }
}

/// Handles one call before or at the first launch.
void see_call(Seen& seen, bool look_at_load, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (seen.function != nullptr) return;
  if (data.callbackSite == CUPTI_API_EXIT) {
    keep_handle(seen, id, data);
    if (look_at_load && id == CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData && !seen.libraries.empty())
      tell("cuLibraryGetGlobal in the callback of cuLibraryLoadData, counter",
           in_library(seen.libraries.back(), "counter"));
    return;
  }
  const std::string name = name_parameter(id, data);
  seen.calls.add(call_name(id) + (name.empty() ? "" : " of " + name));
  seen.function = launched_function(id, data);
  if (seen.function != nullptr) look_by_function("in the callback of the launch", seen.function, "counter");
}

/// Lists the variables of a module that CUPTI reports.
void see_module(Seen& seen, CUpti_CallbackId id, const void* data) {
  if (id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
  const auto& resource = *static_cast<const CUpti_ResourceData*>(data);
  const auto& module = *static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
  std::string text;
  for (const auto& variable : kjoule::cuda::cubin_variables(module.pCubin, module.cubinSize)) {
    seen.names.insert(variable.name);
    text += "; " + variable.name + " " + std::to_string(variable.bytes) + " bytes in " + variable.section;
  }
  tell(std::string("cubin of a module loaded ") + (seen.function == nullptr ? "before" : "at or after") +
           " the launch",
       std::to_string(module.cubinSize) + " bytes" + text);
}

/// Looks for all variables by all handles, outside of callbacks.
void look_by_handles(const Seen& seen) {
  tell("libraries, modules seen",
       std::to_string(seen.libraries.size()) + ", " + std::to_string(seen.modules.size()));
  for (const std::string& name : seen.names) {
    for (const CUlibrary library : seen.libraries) {
      tell("cuLibraryGetGlobal, " + name, in_library(library, name));
      tell("cuLibraryGetManaged, " + name, in_library_as_managed(library, name));
    }
    for (const CUmodule module : seen.modules) tell("cuModuleGetGlobal, " + name, in_module(module, name));
    if (seen.function != nullptr) look_by_function("after the launch", seen.function, name);
  }
}

/// Tells where the runtime finds a variable, for comparison.
void tell_symbol_address() {
  void* address = nullptr;
  const cudaError_t result = cudaGetSymbolAddress(&address, counter);
  tell("cudaGetSymbolAddress, counter",
       result == cudaSuccess ? hexadecimal(reinterpret_cast<CUdeviceptr>(address)) : name_of(result));
}

struct Way {
  const char* loading;       // CUDA_MODULE_LOADING
  bool host_uses_variables;  // before the first launch
  bool look_at_load;         // in the callback of cuLibraryLoadData
};

void watch(const Way& way) {
  setenv("CUDA_MODULE_LOADING", way.loading, 1);
  Seen seen;
  const Callbacks callbacks({CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RESOURCE},
                            [&](CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
                              if (domain == CUPTI_CB_DOMAIN_RESOURCE) return see_module(seen, id, data);
                              see_call(seen, way.look_at_load, id,
                                       *static_cast<const CUpti_CallbackData*>(data));
                            });
  if (way.host_uses_variables) {
    const int value = 3;
    NEED(cudaMemcpyToSymbol(set_by_host, &value, sizeof value));
    managed = 4;
  }
  count<<<1, 1>>>();
  const cudaError_t launched = cudaGetLastError();
  tell("launch", name_of(launched) + ", waiting: " + name_of(cudaDeviceSynchronize()));
  tell("driver calls until the first launch", seen.calls.text());
  look_by_handles(seen);
  tell_symbol_address();
  if (seen.function != nullptr) look_by_kernel(seen.function);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* loading : {"LAZY", "EAGER"})
    for (const bool host_uses : {false, true})
      all.push_back(
          {std::string(loading) + (host_uses ? ", the host uses variables first" : ", a launch first"), [=] {
             watch({loading, host_uses, false});
           }});
  all.push_back({"LAZY, lookup where the library is loaded", [] { watch({"LAZY", false, true}); }});
  return all;
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  return facts::answer(count, arguments, facts::cases());
}
