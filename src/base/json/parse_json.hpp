#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// Nesting limit: the largest number of levels of nested arrays and objects in JSON and YAML that kjoule
/// reads. Values are written, compared and searched by recursive functions, so deeper values could overflow
/// the stack.
constexpr int kNestingLimit = 64;

/// Returns the cause of errors about deeper values.
std::string too_deep();
constexpr const char* kSimplerValues = "use a file with simpler values, or create the file again";

/// Returns the position in the JSON text at which a value is nested more deeply than kNestingLimit; no value
/// if there is none. Brackets in strings do not count.
std::optional<size_t> find_too_deep(std::string_view json);

/// Returns the value of a JSON text. The value is discarded (is_discarded()) if the text is not JSON, or if a
/// number in it is not finite. Throws Error "PLACE: cause" if the text is nested more deeply than
/// kNestingLimit. `place` is a file and, if possible, a line.
nlohmann::json parse_json(std::string_view text, const std::string& place);

}  // namespace kjoule
