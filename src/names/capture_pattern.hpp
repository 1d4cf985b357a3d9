#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The texts that a pattern captured, by the names of the captures.
using Captures = std::map<std::string, std::string, std::less<>>;

/// A pattern that matches whole names and captures parts of them.
///   *      matches any text, including an empty one
///   ${x}   captures as x a text that is not empty, with balanced brackets, and commas only within them
///   %{x}   captures a number
///   @{x}   captures a word of letters and digits
/// If a name matches in several ways, each `*` and `${x}` from left to right has the shortest possible text.
class CapturePattern {
 public:
  /// Throws Error without a remedy if the text is not a pattern.
  explicit CapturePattern(std::string_view text);

  /// Returns the captures. Returns nullopt if the pattern does not match the name, or if no match was found
  /// within 20,000 steps.
  std::optional<Captures> match(std::string_view name) const;

 private:
  enum class Kind { literal, any, balanced, number, word };
  struct Piece {
    Kind kind;
    std::string text;  ///< the text of a literal, the name of a capture
  };
  /// One attempt to match a name.
  struct Attempt {
    std::string_view name;
    Captures captures;
    int steps = 0;
  };

  bool match_from(size_t piece, size_t place, Attempt& attempt) const;
  bool match_any(size_t piece, size_t place, Attempt& attempt) const;
  bool match_balanced(size_t piece, size_t place, Attempt& attempt) const;
  bool match_run(size_t piece, size_t place, Attempt& attempt) const;

  std::vector<Piece> pieces_;
};

}  // namespace kjoule
