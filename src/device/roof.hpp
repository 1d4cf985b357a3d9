#pragma once
#include "base/json_fields.hpp"

namespace kjoule {

/// The highest rates that were measured on a device, in FLOP/s and bytes/s.
struct Roof {
  double flop_per_s = 0, byte_per_s = 0;
};
template <class Fields>
void describe(Fields& fields, Roof& roof) {
  fields("flop_per_s", roof.flop_per_s);
  fields("byte_per_s", roof.byte_per_s);
}

}  // namespace kjoule
