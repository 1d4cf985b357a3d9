#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "base/text/printable.hpp"

namespace kjoule {

/// Prepares the standard streams; call this function first in main(). If the process was started without
/// stdin, stdout or stderr, opens /dev/null in its place. (Otherwise a file that is opened later would get
/// the number of the stream, and text for the terminal would be written to the file.) Reading from such a
/// stream returns the end of the file, and writing fails. Also makes a write beyond the limit on the size of
/// files (ulimit -f) fail instead of raising a signal.
void prepare_output();
/// Throws Error if any text could not be written to stdout. Call this function last.
void finish_output();

/// These functions print a text of one or more lines on stdout or stderr, each line as printable(). The text
/// is written in one piece, and replaces a status line (print_status()), so that lines of stdout, lines of
/// stderr and a status line are never mixed.
void print_text(std::string_view text);
void print_error_text(std::string_view text);
/// Replaces the current line of the terminal on stderr, without a line end. An empty text removes it.
void print_status(std::string_view text);

namespace terminal_detail {

/// Returns texts as printable(), other values unchanged.
template <class T>
auto made_printable(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return printable(value);
  else
    return value;
}

template <class... T>
std::string format(fmt::string_view format, const T&... values) {
  return fmt::vformat(format, fmt::make_format_args(values...));
}

}  // namespace terminal_detail

/// These functions print values on stdout or stderr as fmt::print() does, but texts as printable(), so that a
/// text among the values cannot begin a new line.
template <class... T>
void print_output(fmt::format_string<T...> format, const T&... values) {
  print_text(terminal_detail::format(format, terminal_detail::made_printable(values)...));
}
template <class... T>
void print_error(fmt::format_string<T...> format, const T&... values) {
  print_error_text(terminal_detail::format(format, terminal_detail::made_printable(values)...));
}
/// Prints a line on stderr, with "kjoule: warning: " before it. What the user asked for is done nevertheless.
template <class... T>
void print_warning(fmt::format_string<T...> format, const T&... values) {
  print_error("kjoule: warning: {}\n",
              terminal_detail::format(format, terminal_detail::made_printable(values)...));
}

}  // namespace kjoule
