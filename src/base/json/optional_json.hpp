#pragma once
#include <nlohmann/json.hpp>
#include <optional>

namespace kjoule {

/// Returns the value as JSON; null if it is absent.
template <class Value>
nlohmann::json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

/// Returns the value under `key`; no value if it is null, or if there is no such key.
template <class Value>
std::optional<Value> get_optional(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? std::nullopt : std::optional(found->template get<Value>());
}

}  // namespace kjoule
