#include "torch/model.hpp"

#include <gtest/gtest.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>

#include "base/process/temporary_folder.hpp"

namespace kjoule::runner {
namespace {

TEST(OpenModel, FusesOperatorsOnlyIfTheWorkSaysSo) {
  const TemporaryFolder folder;
  torch::jit::Module module("Sum");
  module.define("def forward(self, x):\n    return x + x\n");
  ModelWork work{.path = folder / "sum.pt", .inputs = {"float32:3"}, .fuses_operators = false};
  module.save(work.path);

  open_model(work, at::kCPU)->run();
  EXPECT_FALSE(torch::jit::tensorExprFuserEnabled());
  work.fuses_operators = true;
  open_model(work, at::kCPU)->run();
  EXPECT_TRUE(torch::jit::tensorExprFuserEnabled());
}

}  // namespace
}  // namespace kjoule::runner
