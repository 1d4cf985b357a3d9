#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The captured texts of a pattern by name.
using Captures = std::map<std::string, std::string, std::less<>>;

/// A pattern for whole names that keeps parts of them. `*` matches any text, including an empty one. `${x}`
/// keeps a text that is not empty, closes its own brackets and has no comma outside of them; `%{x}` keeps a
/// number, `@{x}` a word of letters and digits. The first way to match is taken, with the shortest texts.
class CapturePattern {
 public:
  /// Throws Error, with the cause, for a text that is no pattern.
  explicit CapturePattern(std::string_view text);

  /// Returns nullopt for a name that the pattern does not match, or that takes more than a bounded number of
  /// steps.
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
