#include "device_constants.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace kjoule::child {
namespace {

// torch's "meta" device computes shapes alone, but refuses operands of another device like any GPU.

/// Makes tensors where traced models do: outright, in a block, and in a submodule.
torch::jit::Module model_of_the_cpu() {
  torch::jit::Module inner("Inner");
  inner.define("def forward(self, x):\n    return x + torch.ones([3], device=torch.device('cpu'))\n");
  torch::jit::Module module("Outer");
  module.register_module("inner", inner);
  module.register_buffer("weight", at::ones({3}));
  module.define(R"(
def forward(self, x):
    y = torch.arange(3, device=torch.device('cpu')) * self.weight
    for i in range(2):
        y = y + torch.zeros([3], device=torch.device('cpu'))
    return self.inner.forward(x + y.to(torch.device('cpu')))
)");
  std::stringstream file;
  module.save(file);
  return torch::jit::load(file);
}

TEST(DeviceConstants, AModelRunsOnAnotherDevice) {
  torch::jit::Module model = model_of_the_cpu();
  model.to(at::kMeta);
  const at::Tensor input = at::ones({3}, at::kMeta);
  EXPECT_ANY_THROW(model.forward({input})) << "without it nothing would need to be done";

  torch::jit::Module moved = model_of_the_cpu();
  set_device_constants(moved, at::kMeta);
  moved.to(at::kMeta);
  EXPECT_EQ(moved.forward({input}).toTensor().device(), at::Device(at::kMeta));
}

TEST(DeviceConstants, TheSameDeviceChangesNothing) {
  torch::jit::Module model = model_of_the_cpu();
  const at::Tensor expected = model.forward({at::ones({3})}).toTensor();
  torch::jit::Module same = model_of_the_cpu();
  set_device_constants(same, at::kCPU);
  EXPECT_TRUE(same.forward({at::ones({3})}).toTensor().equal(expected));
}

}  // namespace
}  // namespace kjoule::child
