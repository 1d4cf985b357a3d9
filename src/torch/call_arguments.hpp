#pragma once
#include <torch/script.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace kjoule::runner {

/// Returns the type of a name in traces and networks ("Half"). Throws Error for unknown names.
at::ScalarType find_type(const std::string& name);

/// Returns the exclusive upper limit of the integers in a tensor that the operator uses as indices. The
/// tensor is argument number `argument` of the operator, or element `element` of that list. `arguments` are
/// those of an OperatorCall.
int64_t index_limit(const std::string& operator_name, const nlohmann::json& arguments, size_t argument,
                    size_t element = 0);

/// A maker of arguments with the sizes, strides and types of an OperatorCall. Floating-point values are drawn
/// from the normal distribution and made positive where the schema's argument names mean variances. Integers
/// are valid indices.
class CallArguments {
 public:
  CallArguments(c10::Device device, uint64_t seed);

  /// Returns a value for each argument of the schema; nothing if the arguments do not fit the schema. Throws
  /// Error for arguments that fit no schema at all, and c10::Error when memory runs out.
  std::optional<torch::jit::Stack> make_stack(const c10::FunctionSchema& schema,
                                              const nlohmann::json& arguments);

 private:
  std::optional<c10::IValue> value(const c10::FunctionSchema& schema, const nlohmann::json& arguments,
                                   size_t place);
  /// The values of a tensor: integers below `limit`, positive numbers, or weights that are so small that
  /// outputs are as large as inputs.
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
