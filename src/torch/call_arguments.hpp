#pragma once
#include <torch/script.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace kjoule::runner {

/// Returns the data type that traces and networks call `name` ("Half"). Throws Error for an unknown name.
at::ScalarType find_type(const std::string& name);

/// Returns the limit below which the integers in a tensor must be, because the operator uses them as indices.
/// The tensor is argument number `argument` of the operator, or element `element` of this argument if it is a
/// list. `arguments` are those of an OperatorCall.
int64_t index_limit(const std::string& operator_name, const nlohmann::json& arguments, size_t argument,
                    size_t element = 0);

/// Makes arguments with the sizes, strides and types of an OperatorCall. Floating-point values are normally
/// distributed; they are positive if the argument is a variance by its name in the schema. Integers are valid
/// indices.
class CallArguments {
 public:
  CallArguments(c10::Device device, uint64_t seed);

  /// Returns a value for each argument of the schema; nothing if the arguments do not fit the schema. Throws
  /// Error for arguments that fit no schema at all, and c10::Error if memory runs out.
  std::optional<torch::jit::Stack> make_stack(const c10::FunctionSchema& schema,
                                              const nlohmann::json& arguments);

 private:
  std::optional<c10::IValue> value(const c10::FunctionSchema& schema, const nlohmann::json& arguments,
                                   size_t place);
  /// The values of a tensor: integers below `limit`, positive numbers, or weights so small that outputs are
  /// about as large as inputs.
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

}  // namespace kjoule::runner
