#include "torch/cuda_driver.hpp"

#include <utility>

#include "base/error.hpp"

namespace kjoule::runner {

Library open_cuda_driver() {
  auto driver = Library::open({"libcuda.so.1"});
  if (!driver)
    throw Error("the CUDA driver (libcuda.so.1) cannot be loaded",
                "kjoule doctor reports what this machine lacks");
  return std::move(*driver);
}

}  // namespace kjoule::runner
