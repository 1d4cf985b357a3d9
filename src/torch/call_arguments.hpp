#pragma once
#include <torch/script.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace kjoule::child {

/// The type that traces and networks call "Half". Throws Error for unknown names.
at::ScalarType type_named(const std::string& name);

/// Below what the integers in a tensor must stay so that the operator can use them as indices: argument
/// number `argument` of the operator, or element `element` of that list. `arguments` as in OperatorCall.
int64_t index_limit(const std::string& operator_name, const nlohmann::json& arguments, size_t argument,
                    size_t element = 0);

/// Makes arguments of the sizes, strides and types in an OperatorCall. Floating-point values are drawn from
/// the normal distribution, positive ones where the schema's names ask for variances; integers are valid
/// indices.
class CallArguments {
 public:
  CallArguments(c10::Device device, uint64_t seed);

  /// A value for each of the schema's arguments; nothing where they do not fit it. Throws Error for what no
  /// schema fits, c10::Error when memory runs out.
  std::optional<torch::jit::Stack> fitting(const c10::FunctionSchema& schema,
                                           const nlohmann::json& arguments);

 private:
  std::optional<c10::IValue> value(const c10::FunctionSchema& schema, const nlohmann::json& arguments,
                                   size_t place);
  /// What stands in a tensor: integers below `limit`; weights so small that outputs are as large as inputs.
  struct Values {
    int64_t limit;
    bool positive, are_weights;
  };
  at::Tensor tensor(const nlohmann::json& json, const Values& values);
  static at::Tensor number(const nlohmann::json& json);
  void fill(at::Tensor& flat, const Values& values, double inputs);

  c10::Device device_;
  at::Generator generator_;
};

}  // namespace kjoule::child
