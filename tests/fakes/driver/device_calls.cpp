// Initialisation, devices, contexts, modules and functions. Every image is a module that contains
// all kernels.

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "cubin.hpp"
#include "devices.hpp"
#include "entry.hpp"
#include "hooks.hpp"
#include "program_kernels.hpp"
#include "streams.hpp"

/// Loads the library of CUDA_INJECTION64_PATH, as the real driver does.
static void load_injected_library() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == '\0') return;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  auto initialize =
      library == nullptr ? nullptr : reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (initialize == nullptr) {
    std::fprintf(stderr, "stand-in for the CUDA driver: %s\n", dlerror());
    std::abort();  // a test in which nothing is observed must not pass
  }
  initialize();
}

extern "C" STAND_IN_VISIBLE CUresult CUDAAPI cuInit(unsigned) {
  static std::once_flag once;
  std::call_once(once, load_injected_library);
  return CUDA_SUCCESS;
}

DRIVER_ALWAYS(cuDriverGetVersion, (int* driverVersion), (driverVersion)) {
  *driverVersion = CUDA_VERSION;
  return CUDA_SUCCESS;
}

DRIVER_ALWAYS(cuGetErrorString, (CUresult error, const char** pStr), (error, pStr)) {
  switch (error) {
    case CUDA_SUCCESS:
      *pStr = "no error";
      break;
    case CUDA_ERROR_INVALID_VALUE:
      *pStr = "invalid argument";
      break;
    case CUDA_ERROR_OUT_OF_MEMORY:
      *pStr = "out of memory";
      break;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      *pStr = "an illegal memory access was encountered";
      break;
    case CUDA_ERROR_INVALID_HANDLE:
      *pStr = "invalid resource handle";
      break;
    default:
      *pStr = "another error of the stand-in's";
  }
  return CUDA_SUCCESS;
}

DRIVER_ALWAYS(cuDeviceGet, (CUdevice * device, int ordinal), (device, ordinal)) {
  *device = ordinal;
  return ordinal >= 0 && ordinal < stand_in::devices() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
DRIVER_ALWAYS(cuDeviceGetCount, (int* count), (count)) {
  *count = stand_in::devices();
  return CUDA_SUCCESS;
}
DRIVER_ALWAYS(cuDeviceGetName, (char* name, int len, CUdevice dev), (name, len, dev)) {
  std::snprintf(name, static_cast<size_t>(len), "Stand-in GPU");
  return CUDA_SUCCESS;
}
DRIVER_ALWAYS(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice dev), (uuid, dev)) {
  for (size_t i = 0; i < sizeof uuid->bytes; ++i) uuid->bytes[i] = static_cast<char>(i);
  uuid->bytes[0] = static_cast<char>(stand_in::number_in_machine(dev));
  return CUDA_SUCCESS;
}
DRIVER_ALWAYS(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice dev), (bytes, dev)) {
  *bytes = stand_in::Memory::device().total();
  return CUDA_SUCCESS;
}
DRIVER_ALWAYS(cuDeviceGetAttribute, (int* pi, CUdevice_attribute attrib, CUdevice dev), (pi, attrib, dev)) {
  switch (attrib) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *pi = 4;
      break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      *pi = 4 << 20;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *pi = 9;
      break;
    default:
      *pi = 0;
  }
  return CUDA_SUCCESS;
}

DRIVER_ALWAYS(cuDevicePrimaryCtxRetain, (CUcontext * pctx, CUdevice dev), (pctx, dev)) {
  *pctx = stand_in::primary_context(dev);
  return CUDA_SUCCESS;
}
DRIVER_ALWAYS(cuDevicePrimaryCtxRelease_v2, (CUdevice dev), (dev)) {
  return CUDA_SUCCESS;
}
DRIVER_ALWAYS(cuDevicePrimaryCtxGetState, (CUdevice dev, unsigned* flags, int* active),
              (dev, flags, active)) {
  *flags = 0;
  *active = 1;
  return CUDA_SUCCESS;
}
/// Frees the memory of the device. The handle of the context, and modules and streams, can be used again.
DRIVER(cuDevicePrimaryCtxReset_v2, (CUdevice dev), (dev)) {
  stand_in::wait_until(stand_in::all_done_ns());
  stand_in::Memory::device().release_all(dev);
  return CUDA_SUCCESS;
}
DRIVER(cuCtxCreate_v4, (CUcontext * pctx, CUctxCreateParams* ctxCreateParams, unsigned flags, CUdevice dev),
       (pctx, ctxCreateParams, flags, dev)) {
  *pctx = stand_in::make_context(dev);
  stand_in::set_current_context(*pctx);
  return CUDA_SUCCESS;
}
DRIVER_ALWAYS(cuCtxSetCurrent, (CUcontext ctx), (ctx)) {
  stand_in::set_current_context(ctx);
  return CUDA_SUCCESS;
}
DRIVER_ALWAYS(cuCtxGetCurrent, (CUcontext * pctx), (pctx)) {
  *pctx = stand_in::current_context();
  return CUDA_SUCCESS;
}
DRIVER_ALWAYS(cuCtxEnablePeerAccess, (CUcontext peerContext, unsigned Flags), (peerContext, Flags)) {
  return peerContext == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}
DRIVER_ALWAYS(cuCtxGetDevice, (CUdevice * device), (device)) {
  *device = stand_in::current_device();
  return stand_in::current_context() == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}
DRIVER_BARE(cuCtxSynchronize) {
  if (stand_in::forbidden_by_capture()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  stand_in::wait_until(stand_in::all_done_ns());
  return CUDA_SUCCESS;
}

/// Reports the cubin that every module contains.
static void tell_of_module() {
  static const std::string cubin = stand_in::cubin_with({{stand_in::kTally, sizeof(unsigned)}});
  if (const auto tell = stand_in::hooks().module_loaded.load()) tell(cubin.data(), cubin.size());
}

/// Returns the variable, for a module or library from which its kernel was taken.
template <typename Kernels>
static CUresult variable(const Kernels& kernels, int device, const char* name, CUdeviceptr* address,
                         size_t* bytes) {
  if (!kernels.contains(stand_in::kTally) || std::string(name) != stand_in::kTally)
    return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<CUdeviceptr>(stand_in::tally(device));
  *bytes = sizeof(unsigned);
  return CUDA_SUCCESS;
}

DRIVER(cuModuleLoadData, (CUmodule * module, const void* image), (module, image)) {
  if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *module = new CUmod_st{{}, stand_in::current_device()};
  tell_of_module();
  return CUDA_SUCCESS;
}
DRIVER(cuModuleUnload, (CUmodule hmod), (hmod)) {
  delete hmod;
  return CUDA_SUCCESS;
}
DRIVER(cuModuleGetFunction, (CUfunction * hfunc, CUmodule hmod, const char* name), (hfunc, hmod, name)) {
  const stand_in::Kernel* kernel = stand_in::find_kernel(name);
  if (kernel == nullptr) return CUDA_ERROR_NOT_FOUND;
  auto& function = hmod->functions[name];
  if (!function) function.reset(new CUfunc_st{{kernel, false}, hmod});
  *hfunc = function.get();
  return CUDA_SUCCESS;
}

DRIVER(cuLibraryLoadData,
       (CUlibrary * library, const void* code, CUjit_option* jitOptions, void** jitOptionsValues,
        unsigned numJitOptions, CUlibraryOption* libraryOptions, void** libraryOptionValues,
        unsigned numLibraryOptions),
       (library, code, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,
        numLibraryOptions)) {
  *library = new CUlib_st;
  tell_of_module();
  return CUDA_SUCCESS;
}
DRIVER(cuLibraryGetKernel, (CUkernel * pKernel, CUlibrary library, const char* name),
       (pKernel, library, name)) {
  const stand_in::Kernel* found = stand_in::find_kernel(name);
  if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
  auto& kernel = library->kernels[name];
  if (!kernel) kernel.reset(new CUkern_st{{found, true}, library});
  *pKernel = kernel.get();
  return CUDA_SUCCESS;
}

DRIVER(cuModuleGetGlobal_v2, (CUdeviceptr * dptr, size_t* bytes, CUmodule hmod, const char* name),
       (dptr, bytes, hmod, name)) {
  return variable(hmod->functions, hmod->device, name, dptr, bytes);
}
DRIVER(cuLibraryGetGlobal, (CUdeviceptr * dptr, size_t* bytes, CUlibrary library, const char* name),
       (dptr, bytes, library, name)) {
  return variable(library->kernels, stand_in::current_device(), name, dptr, bytes);
}
DRIVER(cuLibraryGetManaged, (CUdeviceptr * dptr, size_t* bytes, CUlibrary library, const char* name),
       (dptr, bytes, library, name)) {
  return CUDA_ERROR_NOT_FOUND;
}
DRIVER(cuFuncGetModule, (CUmodule * hmod, CUfunction hfunc), (hmod, hfunc)) {
  if (hfunc->callable.is_kernel) return CUDA_ERROR_INVALID_HANDLE;
  *hmod = hfunc->module;
  return CUDA_SUCCESS;
}
DRIVER(cuKernelGetLibrary, (CUlibrary * pLib, CUkernel kernel), (pLib, kernel)) {
  if (!kernel->callable.is_kernel) return CUDA_ERROR_INVALID_HANDLE;
  *pLib = kernel->library;
  return CUDA_SUCCESS;
}

static CUresult parameter(const stand_in::Kernel& kernel, size_t index, size_t* offset, size_t* size) {
  if (index >= kernel.parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = kernel.parameters[index].first;
  if (size != nullptr) *size = kernel.parameters[index].second;
  return CUDA_SUCCESS;
}

DRIVER(cuFuncGetName, (const char** name, CUfunction hfunc), (name, hfunc)) {
  if (hfunc->callable.is_kernel) return CUDA_ERROR_INVALID_HANDLE;
  *name = hfunc->callable.kernel->name.c_str();
  return CUDA_SUCCESS;
}
DRIVER(cuFuncGetParamInfo, (CUfunction func, size_t paramIndex, size_t* paramOffset, size_t* paramSize),
       (func, paramIndex, paramOffset, paramSize)) {
  if (func->callable.is_kernel) return CUDA_ERROR_INVALID_HANDLE;
  return parameter(*func->callable.kernel, paramIndex, paramOffset, paramSize);
}
DRIVER(cuKernelGetName, (const char** name, CUkernel hfunc), (name, hfunc)) {
  if (!hfunc->callable.is_kernel) return CUDA_ERROR_INVALID_HANDLE;
  *name = hfunc->callable.kernel->name.c_str();
  return CUDA_SUCCESS;
}
DRIVER(cuKernelGetParamInfo, (CUkernel kernel, size_t paramIndex, size_t* paramOffset, size_t* paramSize),
       (kernel, paramIndex, paramOffset, paramSize)) {
  if (!kernel->callable.is_kernel) return CUDA_ERROR_INVALID_HANDLE;
  return parameter(*kernel->callable.kernel, paramIndex, paramOffset, paramSize);
}
DRIVER(cuFuncGetAttribute, (int* pi, CUfunction_attribute attrib, CUfunction hfunc), (pi, attrib, hfunc)) {
  if (hfunc->callable.is_kernel) return CUDA_ERROR_INVALID_HANDLE;
  *pi = attrib == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? hfunc->callable.shared_limit : 0;
  return CUDA_SUCCESS;
}
DRIVER(cuFuncSetAttribute, (CUfunction hfunc, CUfunction_attribute attrib, int value),
       (hfunc, attrib, value)) {
  if (hfunc->callable.is_kernel) return CUDA_ERROR_INVALID_HANDLE;
  if (attrib == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) hfunc->callable.shared_limit = value;
  return CUDA_SUCCESS;
}
DRIVER(cuKernelGetAttribute, (int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev),
       (pi, attrib, kernel, dev)) {
  if (!kernel->callable.is_kernel) return CUDA_ERROR_INVALID_HANDLE;
  *pi = attrib == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? kernel->callable.shared_limit : 0;
  return CUDA_SUCCESS;
}
DRIVER(cuKernelSetAttribute, (CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev),
       (attrib, val, kernel, dev)) {
  if (!kernel->callable.is_kernel) return CUDA_ERROR_INVALID_HANDLE;
  if (attrib == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) kernel->callable.shared_limit = val;
  return CUDA_SUCCESS;
}
