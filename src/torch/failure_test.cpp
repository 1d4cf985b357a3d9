#include "torch/failure.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>
#include <torch/script.h>

namespace kjoule::runner {
namespace {

/// Returns the exception that a call throws; null if it throws none.
template <typename Call>
std::exception_ptr thrown_by(Call call) {
  try {
    call();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

template <typename Use>
void with_exception(const std::exception_ptr& thrown, Use use) {
  ASSERT_NE(thrown, nullptr);
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    use(error);
  }
}

constexpr int64_t kTooMany = int64_t{1} << 55;

TEST(Failure, KnowsWhenMemoryRanOut) {
  with_exception(thrown_by([] { at::empty({kTooMany}); }), [](const std::exception& error) {
    EXPECT_TRUE(is_out_of_memory(error));
    EXPECT_EQ(explain(error).line(), std::string("out of memory; ") + kNeedLessMemory);
  });
  EXPECT_TRUE(is_out_of_memory(std::bad_alloc()));
  EXPECT_FALSE(is_out_of_memory(std::runtime_error("out of range")));
}

TEST(Failure, KnowsItInsideTheInterpreterToo) {
  torch::jit::Module module("Large");
  module.define("def f(self, n: int):\n    return torch.zeros([n])\n");
  with_exception(thrown_by([&] { module.run_method("f", kTooMany); }),
                 [](const std::exception& error) { EXPECT_TRUE(is_out_of_memory(error)) << error.what(); });
}

TEST(Failure, SaysWhereAnOperatorHasNoImplementation) {
  const auto convolution = c10::Dispatcher::singleton().findSchemaOrThrow("aten::cudnn_convolution", "");
  const c10::List<int64_t> ones({1, 1});
  torch::jit::Stack stack{
      at::zeros({1, 3, 8, 8}), at::zeros({4, 3, 3, 3}), ones, ones, ones, 1, false, false, true};
  with_exception(thrown_by([&] { convolution.callBoxed(stack); }), [](const std::exception& error) {
    EXPECT_EQ(explain(error).line(),
              "aten::cudnn_convolution has no implementation for the CPU; run it on a GPU: --device cuda");
  });
  // An operator for the CPU that is called with tensors of a GPU: the error for backends that do not exist on
  // this machine.
  const auto line = [](const std::string& backend) {
    return explain(std::runtime_error("Could not run 'aten::x' with arguments from the '" + backend +
                                      "' backend. This could be because"))
        .line();
  };
  EXPECT_EQ(line("CUDA"), "aten::x has no implementation for CUDA; run it on the CPU: --device cpu");
  EXPECT_EQ(line("SparseCPU"), "aten::x has no implementation for SparseCPU");
}

TEST(Failure, SkipsTheInterpretersTraceback) {
  torch::jit::Module module("Square");
  module.define("def f(self, x):\n    return torch.matmul(x, x)\n");
  with_exception(thrown_by([&] {
                   module.run_method("f", at::zeros({2, 3}));
                 }),
                 [](const std::exception& error) {
                   EXPECT_NE(reason(error).find("shapes cannot be multiplied"), std::string::npos)
                       << reason(error);
                   EXPECT_EQ(reason(error).find('\n'), std::string::npos);
                 });
}

}  // namespace
}  // namespace kjoule::runner
