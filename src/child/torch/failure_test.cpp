#include "failure.hpp"

#include <gtest/gtest.h>
#include <torch/script.h>

namespace kjoule::child {
namespace {

/// What a call throws, or nothing.
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
    EXPECT_EQ(explained(error).line(), std::string("out of memory; ") + kNeedLessMemory);
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
}  // namespace kjoule::child
