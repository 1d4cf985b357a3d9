#pragma once
#include <cmath>

namespace kjoule {

/// Returns the value with null instead of every number that is infinite or NaN, because JSON has no such
/// numbers. `Json` is nlohmann::json or nlohmann::ordered_json.
template <class Json>
Json with_finite_numbers(Json value) {
  if (value.is_number_float() && !std::isfinite(value.template get<double>())) return nullptr;
  if (value.is_structured())
    for (auto& item : value) item = with_finite_numbers(std::move(item));
  return value;
}

}  // namespace kjoule
