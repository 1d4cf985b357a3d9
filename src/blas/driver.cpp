#include "blas/driver.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"

namespace kjoule::blas {

namespace {

constexpr const char* kDoctor = "kjoule doctor reports what this machine lacks";

Library open_driver() {
  auto library = Library::open({"libcuda.so.1"});
  if (!library)
    throw Error("the CUDA driver (libcuda.so.1), which multiplies matrices on a GPU, cannot be loaded",
                kDoctor);
  return std::move(*library);
}

}  // namespace

Driver::Driver(Library library) : library_(std::move(library)) {
// The header renames functions to their newest versions, such as cuMemAlloc_v2. The renamed function is
// loaded.
#define KJOULE_NAME_OF(name) #name
#define KJOULE_LOAD(name)                                                               \
  name = library_.symbol<std::remove_pointer_t<decltype(name)>>(KJOULE_NAME_OF(name));  \
  if (name == nullptr)                                                                  \
    throw Error("the CUDA driver is too old: it has no function " KJOULE_NAME_OF(name), \
                "install a driver for CUDA 12.3 or later");
  KJOULE_DRIVER_FUNCTIONS(KJOULE_LOAD)
#undef KJOULE_LOAD
#undef KJOULE_NAME_OF
}

const Driver& Driver::loaded() {
  static const Driver driver(open_driver());
  return driver;
}

void Driver::check(CUresult result, const std::string& what) const {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS) text = "unknown error";
  throw Error(fmt::format("{}: the CUDA driver reports: {}", what, text), kDoctor);
}

}  // namespace kjoule::blas
