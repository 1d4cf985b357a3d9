#include "torch/callable_operators.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "torch/operator_choice.hpp"

namespace kjoule::runner {
namespace {

/// Returns the error for a call of the operator without arguments.
std::string choice_error(const std::string& name, const std::vector<std::string>& allowed = {}) {
  CallArguments arguments(at::kCPU, 0);
  try {
    choose_operator({name, nlohmann::json::array()}, arguments, CallableOperators(allowed));
  } catch (const Error& error) {
    return error.line();
  }
  return "";
}

TEST(CallableOperators, ContainComputeRandomAndShape) {
  const CallableOperators shipped;
  for (const char* name : {"aten::addmm", "aten::_fused_adamw_", "aten::rand", "aten::view", "aten::copy_"})
    EXPECT_TRUE(shipped.contain(name)) << name;
}

TEST(CallableOperators, DoNotContainWhatTouchesFilesOrStorage) {
  const CallableOperators shipped;
  for (const char* name :
       {"aten::from_file", "aten::set_", "aten::resize_", "aten::fbgemm_linear_fp16_weight",
        "aten::_nested_view_from_buffer", "aten::_sparse_csr_tensor_unsafe", "from_file", "", "prims::add",
        "quantized::linear"})
    EXPECT_FALSE(shipped.contain(name)) << name;
}

/// Returns whether an argument is free text, such as the name of a file.
bool is_free_text(const c10::Argument& argument) {
  static const std::set<std::string> modes{
      "approximate", "rounding_mode", "padding",    "mode",      "pad_mode",     "reduce",        "equation",
      "norm",        "ord",           "driver",     "UPLO",      "indexing",     "interpolation", "side",
      "p",           "api_name",      "activation", "algorithm", "padding_side", "names",         "order"};
  const bool is_text = argument.type()->str().find("str") != std::string::npos;
  const bool names_dimension = argument.name().find("dim") != std::string::npos;
  return is_text && !names_dimension && !modes.contains(argument.name());
}

TEST(CallableOperators, HaveNoTextsButModesAndDimensions) {
  const CallableOperators shipped;
  for (const c10::OperatorName& known : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto op = c10::Dispatcher::singleton().findSchema(known);
    if (!op || !shipped.contain(known.name)) continue;
    for (const c10::Argument& argument : op->schema().arguments())
      EXPECT_FALSE(is_free_text(argument)) << known.name << " " << argument.name();
  }
}

TEST(CallableOperators, AreAskedForTheOperatorThatWasFound) {
  for (const char* name : {"aten::from_file", "aten::from_file.", "aten::from_file.out"})
    EXPECT_EQ(choice_error(name),
              "aten::from_file is not in kjoule's list of operators that an input file may call; "
              "if you trust the file, allow it with --allow-operator aten::from_file")
        << name;
  EXPECT_NE(choice_error("aten::from_file", {"aten::from_file"}).find("takes these 0 arguments"),
            std::string::npos);
}

}  // namespace
}  // namespace kjoule::runner
