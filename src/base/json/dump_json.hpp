#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kjoule {

/// Returns a JSON value as text: on one line if `indent` is -1, otherwise with an indent of `indent` spaces.
/// Bytes that are not UTF-8 become U+FFFD. `Json` is nlohmann::json or nlohmann::ordered_json.
template <class Json>
std::string dump_json(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Returns a text as a JSON string, with its quotes.
inline std::string quote_json(std::string_view text) {
  return dump_json(nlohmann::json(text));
}

}  // namespace kjoule
