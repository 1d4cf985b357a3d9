#pragma once
#include <optional>
#include <string>

#include "device/roof.hpp"
#include "run/subject.hpp"

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

/// Returns the roof of the device of `options`, which kjoule-torch measures with tensors of type `type`
/// ("Half"). Throws Error if it cannot be measured.
Roof measured_roof(const SubjectOptions& options, const std::string& type);

}  // namespace kjoule
