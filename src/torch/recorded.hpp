#pragma once
#include <torch/script.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace kjoule::child {

/// Where a tensor stands in a stack: argument (or result) number, and element when that one is a list (-1:
/// not a list).
struct Position {
  int index;
  int element;
  bool operator<(const Position& other) const {
    return std::tie(index, element) < std::tie(other.index, other.element);
  }
};

/// A tensor as a launch read or made it. Value and storage are identities: both are kept alive by the
/// recording, so that their addresses are never reused. `version` counts the launches that wrote the storage
/// before this one.
struct TensorUse {
  Position position;
  const c10::TensorImpl* value;
  const c10::StorageImpl* storage;
  int version = 0;
  bool written = false;
};

/// One operator call with everything that is needed to make it again.
struct RecordedCall {
  c10::OperatorHandle op;
  torch::jit::Stack arguments;  ///< tensors hold the contents that they had when the call was made
  torch::jit::Stack results;
  std::vector<TensorUse> reads;   ///< every tensor argument
  std::vector<TensorUse> makes;   ///< every tensor result
  at::Tensor generator_state;     ///< before the call, where the call advances the default generator
  bool undeclared_write = false;  ///< wrote an argument that its schema does not say it writes
  std::string signature;
  nlohmann::json detail;
  /// Hash of each tensor result and written argument after the call, in order; 0 where contents are undefined
  /// (empty).
  std::vector<uint64_t> hashes;
};

/// One version of a storage that the iteration writes: a copy to work on and a pristine one to put it back
/// from.
struct StorageVersion {
  at::Tensor work;      ///< bytes
  at::Tensor pristine;  ///< bytes
};

/// Operator calls of one iteration.
struct RecordedProgram {
  std::vector<RecordedCall> calls;
  std::map<std::pair<const c10::StorageImpl*, int>, StorageVersion> versions;
};

/// Calls `visit(position, tensor)` for every defined tensor with a CPU storage among stack values.
template <typename Visit>
void for_each_tensor(const c10::IValue* values, size_t count, Visit visit) {
  const auto one = [&](const c10::IValue& value, Position position) {
    if (!value.isTensor()) return;
    const at::Tensor& tensor = value.toTensor();
    if (tensor.defined() && tensor.has_storage() && tensor.device().is_cpu()) visit(position, tensor);
  };
  for (size_t i = 0; i < count; ++i) {
    if (values[i].isTensor()) {
      one(values[i], {static_cast<int>(i), -1});
    } else if (values[i].isList()) {
      const c10::List<c10::IValue> list = values[i].toList();
      for (size_t e = 0; e < list.size(); ++e) {
        const c10::IValue& element = list.get(e);
        one(element, {static_cast<int>(i), static_cast<int>(e)});
      }
    }
  }
}

/// Replaces the tensor at a position; a list is copied first, because stacks share lists.
void set_tensor(torch::jit::Stack& stack, Position position, at::Tensor tensor);
at::Tensor get_tensor(const torch::jit::Stack& stack, Position position);

/// xxh3 of the tensor's elements in order, whatever its strides; never 0.
uint64_t content_hash(const at::Tensor& tensor);
/// The whole storage as a byte tensor that shares its memory.
at::Tensor storage_bytes(const c10::Storage& storage);

}  // namespace kjoule::child
