#include "torch/recorded_program.hpp"

#include <xxhash.h>

namespace kjoule::runner {

void set_tensor(torch::jit::Stack& stack, Position position, at::Tensor tensor) {
  c10::IValue& slot = stack[static_cast<size_t>(position.index)];
  if (position.element < 0) {
    slot = std::move(tensor);
    return;
  }
  c10::List<c10::IValue> list = slot.toList().copy();
  list.set(static_cast<size_t>(position.element), std::move(tensor));
  slot = list;
}

at::Tensor get_tensor(const torch::jit::Stack& stack, Position position) {
  const c10::IValue& slot = stack[static_cast<size_t>(position.index)];
  if (position.element < 0) return slot.toTensor();
  const c10::IValue element = slot.toList().get(static_cast<size_t>(position.element));
  return element.toTensor();
}

uint64_t content_hash(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.contiguous();
  const uint64_t hash = XXH3_64bits(dense.const_data_ptr(), dense.nbytes());
  return hash == 0 ? 1 : hash;
}

at::Tensor storage_bytes(const c10::Storage& storage) {
  at::Tensor bytes = at::empty({0}, at::kByte);
  bytes.set_(storage, 0, {static_cast<int64_t>(storage.nbytes())}, {1});
  return bytes;
}

}  // namespace kjoule::runner
