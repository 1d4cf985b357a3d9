#pragma once
#include <string>
#include <string_view>

namespace kjoule {

/// Returns the text in a form that cannot control a terminal. Control characters, line ends and characters
/// that change the direction of text become escapes as in JSON ("\u001b"), so that a JSON text keeps its
/// meaning. Tabs are not changed. Bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);

}  // namespace kjoule
