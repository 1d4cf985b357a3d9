#pragma once
#include <fmt/format.h>

#include <concepts>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace kjoule {

/// Returns whether the value is a whole number that T can hold. (get<T>() converts every number, and the
/// result is undefined for one that T cannot hold.)
template <std::integral T>
bool is_whole_number(const nlohmann::json& value) {
  if (value.is_number_unsigned()) return std::in_range<T>(value.get<uint64_t>());
  return value.is_number_integer() && std::in_range<T>(value.get<int64_t>());
}

/// Returns the whole number under `key` of an object. Throws Error, which names `key`, if it
/// is missing or T cannot hold it.
template <std::integral T>
T whole_number(const nlohmann::json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end() || !is_whole_number<T>(*found))
    throw Error(fmt::format("\"{}\" is not a whole number in the allowed range", key));
  return found->template get<T>();
}

/// Returns the whole number under `key` of an object, or `otherwise` if it is missing or T
/// cannot hold it.
template <std::integral T>
T whole_number_or(const nlohmann::json& object, const std::string& key, T otherwise) {
  const auto found = object.find(key);
  return found == object.end() || !is_whole_number<T>(*found) ? otherwise : found->template get<T>();
}

}  // namespace kjoule
