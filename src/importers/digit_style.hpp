#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// How the numbers of a table are written: which of "." and "," groups digits, and which begins the
/// fraction. All numbers of a table are written in the same way, so that single numbers such as "1,234" are
/// understood by the others.
class DigitStyle {
 public:
  /// Takes a number of the table into account. `is_whole` states that the number cannot have a fraction, as a
  /// number of launches. Texts that are not numbers are ignored.
  void observe(std::string_view cell, bool is_whole);

  /// Returns the number with "." before its fraction and without other separators, for example "1234.5" for
  /// "1,234.50". Returns no value for a text that is not a number of this style.
  std::optional<std::string> plain(std::string_view cell) const;

  /// Returns a statement about two numbers of the table that are written in different styles; empty if there
  /// are none.
  std::string conflict() const;
  /// Like conflict(), but also names a number that has two meanings, because no number shows the style.
  std::string ambiguity() const;

 private:
  bool has_fraction_after_comma() const;

  /// The first number of the table that shows the role of a separator; empty if none does.
  std::string decimal_comma_, grouping_comma_, decimal_point_, grouping_point_;
  /// The first whole number such as "1.234": its point groups digits, unless the number is a mean after all.
  std::string grouping_point_of_count_;
  std::string unclear_;  ///< the first number such as "1,234", which alone does not show it
};

}  // namespace kjoule
