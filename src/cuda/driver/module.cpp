#include "cuda/driver/module.hpp"

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

Module::Module(const char* ptx) {
  KJOULE_CU(cuModuleLoadData(&module_, ptx));
}

Module::~Module() {
  cuModuleUnload(module_);
}

CUfunction Module::function(const char* name) const {
  CUfunction function = nullptr;
  KJOULE_CU(cuModuleGetFunction(&function, module_, name));
  return function;
}

}  // namespace kjoule::cuda
