#pragma once
#include <torch/script.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace kjoule::runner {

/// The position of a tensor in a stack: the number of the argument or result and, if this is a list, the
/// element (otherwise -1).
struct Position {
  int index;
  int element;
  bool operator<(const Position& other) const {
    return std::tie(index, element) < std::tie(other.index, other.element);
  }
};

/// A tensor that a launch read or made, identified by value and storage. The recording keeps value and
/// storage in memory, so that their addresses are never reused. `version` is the number of earlier launches
/// that wrote the storage.
struct TensorUse {
  Position position;
  const c10::TensorImpl* value;
  const c10::StorageImpl* storage;
  int version = 0;
  bool written = false;
};

/// A recorded operator call, with everything that is needed to replay it.
struct RecordedCall {
  c10::OperatorHandle op;
  torch::jit::Stack arguments;  ///< tensors contain their values at the time of the call
  torch::jit::Stack results;
  std::vector<TensorUse> reads;  ///< all tensor arguments
  std::vector<TensorUse> makes;  ///< all tensor results
  /// State of the default random generator before the call, if the call advances it; otherwise undefined.
  at::Tensor generator_state;
  /// Whether the call wrote an argument that its schema does not declare as written.
  bool undeclared_write = false;
  std::string signature;
  nlohmann::json detail;
  /// Hashes, after the call, of the tensor results and then of the written arguments; 0 for undefined
  /// contents (results of "empty" operators).
  std::vector<uint64_t> hashes;
};

/// One version of a storage that the iteration writes: a copy for the replay (`work`), and a copy from which
/// `work` is restored (`pristine`).
struct StorageVersion {
  /// Bytes that replays use and may overwrite.
  at::Tensor work;
  /// Bytes that are never overwritten and restore `work`.
  at::Tensor pristine;
};

/// The operator calls of one iteration, and the versions of the storages that it writes.
struct RecordedProgram {
  std::vector<RecordedCall> calls;
  std::map<std::pair<const c10::StorageImpl*, int>, StorageVersion> versions;
};

/// Calls `visit(position, tensor)` for every defined tensor in CPU memory among the values of a stack.
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

/// Replaces the tensor at a position. A list is copied first, because stacks share lists.
void set_tensor(torch::jit::Stack& stack, Position position, at::Tensor tensor);
/// Returns the tensor at a position.
at::Tensor get_tensor(const torch::jit::Stack& stack, Position position);

/// Returns the xxh3 hash of the tensor's elements in logical order, which does not depend on the tensor's
/// strides. The result is never 0.
uint64_t content_hash(const at::Tensor& tensor);
/// Returns the whole storage as a tensor of bytes that shares its memory.
at::Tensor storage_bytes(const c10::Storage& storage);

}  // namespace kjoule::runner
