#include "cuda/watch/module_globals.hpp"

#include <gtest/gtest.h>

#include "cubin.hpp"
#include "cuda/calls/function_table.hpp"
#include "cuda/driver/check.hpp"
#include "program_kernels.hpp"

namespace kjoule::cuda {
namespace {

/// A module whose kernel uses the stand-in's only variable.
class Tally {
 public:
  Tally() {
    KJOULE_CU(cuInit(0));
    CUcontext context = nullptr;
    KJOULE_CU(cuDevicePrimaryCtxRetain(&context, 0));
    KJOULE_CU(cuCtxSetCurrent(context));
    KJOULE_CU(cuModuleLoadData(&module_, "any"));
    CUfunction function = nullptr;
    KJOULE_CU(cuModuleGetFunction(&function, module_, stand_in::kTally));
    functions_.get(function);
  }
  ~Tally() { cuModuleUnload(module_); }
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  Containers containers() const { return functions_.containers(); }
  const void* module() const { return module_; }
  CUdeviceptr variable() const {
    CUdeviceptr address = 0;
    size_t bytes = 0;
    KJOULE_CU(cuModuleGetGlobal(&address, &bytes, module_, stand_in::kTally));
    return address;
  }

 private:
  CUmodule module_ = nullptr;
  FunctionTable functions_;
};

void add_machine_code(ModuleGlobals& globals, const char* variable) {
  const std::string cubin = stand_in::cubin_with({{variable, sizeof(unsigned)}});
  globals.add_module(cubin.data(), cubin.size());
}

TEST(ModuleGlobals, FindsVariablesOfExpectedModulesWheneverTheirNamesAreRead) {
  const Tally program;
  ModuleGlobals globals;
  add_machine_code(globals, "another");
  globals.expect(program.containers());
  EXPECT_TRUE(globals.memory(program.containers()).empty());
  add_machine_code(globals, stand_in::kTally);
  const std::vector<Allocation> found = globals.memory(program.containers());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LE(found.front().address, program.variable());
  EXPECT_GE(found.front().address + found.front().bytes, program.variable() + sizeof(unsigned));
  EXPECT_EQ(globals.memory(program.containers()).size(), 1U) << "not looked up again";
}

// the driver must not be queried about a module that the program has unloaded since the list was made
TEST(ModuleGlobals, AsksNothingOfAForgottenModuleUntilItIsExpectedAgain) {
  const Tally program;
  ModuleGlobals globals;
  add_machine_code(globals, stand_in::kTally);
  globals.expect(program.containers());
  globals.forget(program.module());
  EXPECT_TRUE(globals.memory(program.containers()).empty());
  globals.expect(program.containers());
  EXPECT_EQ(globals.memory(program.containers()).size(), 1U) << "another module of the same handle";
}

}  // namespace
}  // namespace kjoule::cuda
