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

/// Value limit: the largest number of values in a JSON text of which kjoule builds values in memory. A value
/// takes up to 50 times as much memory as its text.
constexpr size_t kValueLimit = 4'000'000;

/// Returns the cause of errors about deeper values.
std::string too_deep();
constexpr const char* kSimplerValues = "use a file with simpler values, or create the file again";

/// A place at which a JSON text exceeds a limit.
struct JsonExcess {
  size_t position = 0;
  std::string cause;  ///< names the limit
};

/// Returns the first place at which a JSON text exceeds kNestingLimit or kValueLimit; no value if there is
/// none. Brackets and commas in strings do not count.
std::optional<JsonExcess> find_excess(std::string_view json);

/// Returns the text with blanks instead of the line ends and tabs between values. The parser's error messages
/// would take 8 times the memory of a run of these.
std::string without_control_blanks(std::string_view json);

/// Returns the value of a JSON text. The value is discarded (is_discarded()) if the text is not JSON, or if a
/// number in it is not finite. Throws Error "PLACE: cause" if the text exceeds a limit (find_excess()).
/// `place` is a file and, if possible, a line.
nlohmann::json parse_json(std::string_view text, const std::string& place);

}  // namespace kjoule
