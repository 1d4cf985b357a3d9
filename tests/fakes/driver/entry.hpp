#pragma once
#include <cupti.h>

#include <functional>

// Every function of the driver is written as an entry: it runs between CUPTI's two callbacks, one function at
// a time, and fails once the context is lost.

namespace stand_in {

struct Entry {
  CUpti_CallbackId id;
  const char* name;
  const void* parameters;  ///< its *_params struct
  bool always = false;     ///< works even after the context is lost
};

/// Reports the call to CUPTI and executes it under the driver's lock, unless the context is lost.
CUresult reported(const Entry& entry, const std::function<CUresult()>& body);

/// Makes the host wait, after this call, until virtual time `ns`.
void wait_until(double ns);
/// Number of the driver call that this thread is making.
uint32_t current_correlation();
void set_current_correlation(uint32_t number);
/// Called when a kernel has faulted: all calls fail with CUDA_ERROR_ILLEGAL_ADDRESS from now on, as after a
/// fault on a GPU.
void lose_context(const char* why);
bool has_lost_context();

CUcontext current_context();
/// Returns the number in the process of the current context's device; 0 if no context is current.
int current_device();
void set_current_context(CUcontext context);
/// Returns a device's primary context, which all users of the device have unless they create their own.
CUcontext primary_context(int device);
CUcontext make_context(int device);

/// Lets other threads make driver calls while a kernel on this thread waits for another device.
class OutsideDriver {
 public:
  OutsideDriver();
  ~OutsideDriver();
  OutsideDriver(const OutsideDriver&) = delete;
  OutsideDriver& operator=(const OutsideDriver&) = delete;
};

}  // namespace stand_in

#define STAND_IN_BRACED(...) \
  { __VA_ARGS__ }
#define STAND_IN_LIST(...) __VA_ARGS__
#define STAND_IN_ENTRY(name, parameters, values, always)                                      \
  static CUresult do_##name parameters;                                                       \
  extern "C" __attribute__((visibility("default"))) CUresult CUDAAPI name parameters {        \
    name##_params packed STAND_IN_BRACED values;                                              \
    return stand_in::reported({CUPTI_DRIVER_TRACE_CBID_##name, #name, &packed, always}, [&] { \
      const auto& [STAND_IN_LIST values] = packed; /* callbacks may have changed them */      \
      return do_##name values;                                                                \
    });                                                                                       \
  }                                                                                           \
  static CUresult do_##name parameters

/// DRIVER(cuMemFree_v2, (CUdeviceptr dptr), (dptr)) { ... }: the full name of the function, its parameters as
/// in cuda.h, and their names.
#define DRIVER(name, parameters, values) STAND_IN_ENTRY(name, parameters, values, false)
/// A function that works without a usable context.
#define DRIVER_ALWAYS(name, parameters, values) STAND_IN_ENTRY(name, parameters, values, true)
/// A function without parameters.
#define DRIVER_BARE(name)                                                                          \
  static CUresult do_##name();                                                                     \
  extern "C" __attribute__((visibility("default"))) CUresult CUDAAPI name(void) {                  \
    return stand_in::reported({CUPTI_DRIVER_TRACE_CBID_##name, #name, nullptr, false}, do_##name); \
  }                                                                                                \
  static CUresult do_##name()
