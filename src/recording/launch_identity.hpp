#pragma once
#include <cstdint>

namespace kjoule {

/// Hashes of a launch that are equal in every start of a program, because they cover no address and no
/// handle.
struct LaunchIdentity {
  /// Hash of a kernel's name, code, grid, block and shared bytes, of the kind and size of a copy or memset,
  /// or of these hashes of a graph's nodes.
  uint64_t exact_hash = 0;
  uint64_t name_hash = 0;  ///< hash of the name or kind alone
  bool operator==(const LaunchIdentity&) const = default;
};
template <class Fields>
void describe(Fields& fields, LaunchIdentity& identity) {
  fields("exact", identity.exact_hash);
  fields("name", identity.name_hash);
}

}  // namespace kjoule
