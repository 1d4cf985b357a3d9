#pragma once
#include <nlohmann/json.hpp>
#include <optional>

namespace kjoule {

/// null for nothing.
template <class Value>
nlohmann::json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

/// Nothing for null, and where there is no such key.
template <class Value>
std::optional<Value> if_there(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? std::nullopt : std::optional(found->template get<Value>());
}

}  // namespace kjoule
