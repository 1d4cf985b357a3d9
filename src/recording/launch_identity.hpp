#pragma once
#include <cstdint>

namespace kjoule {

/// Hashes of a launch that are equal in every start of a program: no address and no handle counts.
struct LaunchIdentity {
  /// Of a kernel: name, code, grid, block and shared bytes; of a copy or memset: kind and size; of a graph:
  /// those of its nodes.
  uint64_t exact_hash = 0;
  uint64_t name_hash = 0;  ///< of the name or kind alone
  bool operator==(const LaunchIdentity&) const = default;
};
template <class Fields>
void describe(Fields& fields, LaunchIdentity& identity) {
  fields("exact", identity.exact_hash);
  fields("name", identity.name_hash);
}

}  // namespace kjoule
