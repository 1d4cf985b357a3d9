#include "torch/device_constants.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace kjoule::runner {
namespace {

// torch's "meta" device computes shapes only, but like a GPU it refuses operands on another device.

/// Returns a model that creates tensors in all places where traced models do: in a method, in a block, and in
/// a submodule.
torch::jit::Module model_of_the_cpu(c10::Device loaded_onto) {
  torch::jit::Module inner("Inner");
  inner.define("def forward(self, x):\n    return x + torch.ones([x.size(0)], device=torch.device('cpu'))\n");
  torch::jit::Module module("Outer");
  module.register_module("inner", inner);
  module.register_buffer("weight", at::ones({3}));
  module.define(R"(
def forward(self, x):
    y = torch.arange(x.size(0), device=torch.device('cpu')) * self.weight
    for i in range(2):
        y = y + torch.zeros([x.size(0)], device=torch.device('cpu'))
    return self.inner.forward(x + y.to(torch.device('cpu')))
)");
  std::stringstream file;
  module.save(file);
  return torch::jit::load(file, loaded_onto);
}

TEST(DeviceConstants, AModelRunsOnAnotherDevice) {
  const at::Tensor input = at::ones({3}, at::kMeta);
  torch::jit::Module model = model_of_the_cpu(at::kMeta);
  EXPECT_ANY_THROW(model.forward({input})) << "loading alone would do";

  torch::jit::Module moved = model_of_the_cpu(at::kMeta);
  set_device_constants(moved, at::kMeta);
  EXPECT_EQ(moved.forward({input}).toTensor().device(), at::Device(at::kMeta));
}

TEST(DeviceConstants, TheSameDeviceChangesNothing) {
  const at::Tensor input = at::ones({3});
  const at::Tensor expected = model_of_the_cpu(at::kCPU).forward({input}).toTensor();
  torch::jit::Module same = model_of_the_cpu(at::kCPU);
  set_device_constants(same, at::kCPU);
  EXPECT_TRUE(same.forward({input}).toTensor().equal(expected));
}

}  // namespace
}  // namespace kjoule::runner
