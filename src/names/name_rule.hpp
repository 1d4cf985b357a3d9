#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "names/capture_pattern.hpp"
#include "recording/kernel_name.hpp"

namespace kjoule {

/// A short name with places for captured texts. `${x}` is replaced by the text that a pattern captured as x.
/// `${x:group}` is replaced by the same text after the rules of the group have shortened it.
class NameTemplate {
 public:
  /// Throws Error without a remedy if the text is not a template.
  explicit NameTemplate(std::string_view text);

  struct Piece {
    std::string literal;  ///< precedes the captured text
    std::string capture;  ///< empty after the last literal
    std::string group;    ///< empty if the captured text stays as it is
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

/// A rule that gives a short name to the names, or parts of names, that match one of its patterns.
struct NameRule {
  std::string group;  ///< group to which this rule belongs; "kernel" for rules of whole names
  /// One of these patterns must match the kernel's function; if empty, the function may have any name.
  std::vector<NamePattern> functions;
  std::vector<CapturePattern> patterns;
  NameTemplate short_name;
};

/// Reads one line of a file of rules. Throws Error if the line does not have the format that
/// docs/reference/formats.md describes; `where` (FILE:line) is the beginning of the message.
NameRule read_name_rule(std::string_view line, const std::string& where);

}  // namespace kjoule
