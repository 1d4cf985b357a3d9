#pragma once
#include <optional>
#include <string>

#include "device/roof.hpp"

namespace kjoule {

/// The roof of a run's device, or the reason why it could not be measured.
struct MeasuredRoof {
  static constexpr const char* kKind = "roof";

  std::optional<Roof> roof;
  std::string error;
};
template <class Fields>
void describe(Fields& fields, MeasuredRoof& measured) {
  fields("roof", measured.roof);
  fields.unless_empty("error", measured.error);
}

}  // namespace kjoule
