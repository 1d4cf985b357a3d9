#pragma once
#include <cstdint>
#include <optional>

#include "base/json/json_fields.hpp"

namespace kjoule {

/// The highest rates that were measured on a device, in FLOP/s and bytes/s of its memory.
struct Roof {
  double flop_per_s = 0, byte_per_s = 0;
  /// Rate in FLOP/s of matrix products in the arithmetic that convolutions may use: TF32 for float32 on a
  /// GPU. Absent if it is equal to flop_per_s.
  std::optional<double> convolution_flop_per_s{};
  /// Size of the largest cache in bytes; nothing if not known. Data that fit into this cache may be read
  /// faster than byte_per_s.
  std::optional<int64_t> cache_bytes{};
};
template <class Fields>
void describe(Fields& fields, Roof& roof) {
  fields("flop_per_s", roof.flop_per_s);
  fields("byte_per_s", roof.byte_per_s);
  fields("convolution_flop_per_s", roof.convolution_flop_per_s);
  fields("cache_bytes", roof.cache_bytes);
}

}  // namespace kjoule
