#include "torch/spin.hpp"

#include <dlfcn.h>

#include "base/error.hpp"

namespace kjoule::runner {

Spin find_spin() {
  const auto found = reinterpret_cast<Spin>(dlsym(RTLD_DEFAULT, "_ZN2at4cuda5sleepEl"));
  if (found == nullptr)
    throw Error("this torch package has no at::cuda::sleep, which is needed to time operators",
                "use torch 2.11");
  return found;
}

}  // namespace kjoule::runner
