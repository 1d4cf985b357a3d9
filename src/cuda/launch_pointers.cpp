#include "cuda/launch_pointers.hpp"

#include <xxhash.h>

#include <cstddef>
#include <cstring>
#include <variant>

namespace kjoule::cuda {
namespace {

/// Hashes the words that are addresses in allocations.
class PointerHash {
 public:
  explicit PointerHash(const Allocations& allocations) : allocations_(allocations) {}

  void add_word(uint64_t word) {
    ++position_;
    if (!allocations_.contains(word)) return;
    const uint64_t words[]{word, position_};
    hash_ = XXH3_64bits_withSeed(words, sizeof words, hash_);
  }
  void add_bytes(const std::byte* bytes, size_t size) {
    for (size_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + at, sizeof word);
      add_word(word);
    }
  }
  uint64_t value() const { return hash_; }

 private:
  const Allocations& allocations_;
  uint64_t position_ = 0, hash_ = 0;
};

void add(const KernelView& view, FunctionTable& functions, PointerHash& hash) {
  if (view.packed != nullptr) return hash.add_bytes(view.packed, view.packed_bytes);
  if (view.arguments == nullptr) return;
  const Function& function = *functions.get(view.function);
  for (size_t i = 0; i < function.sizes.size(); ++i)
    hash.add_bytes(static_cast<const std::byte*>(view.arguments[i]), function.sizes[i]);
}

}  // namespace

uint64_t hash_pointers(const LaunchView& view, const Allocations& allocations, FunctionTable& functions) {
  PointerHash hash(allocations);
  if (const auto* kernel = std::get_if<KernelView>(&view.what)) {
    add(*kernel, functions, hash);
  } else if (const auto* copy = std::get_if<CopyCall>(&view.what)) {
    hash.add_word(copy->shape.srcDevice);
    hash.add_word(copy->shape.dstDevice);
  } else {
    hash.add_word(std::get<MemsetCall>(view.what).to);
  }
  return hash.value();
}

}  // namespace kjoule::cuda
