#pragma once

namespace kjoule {

/// Returns 1 for an opening bracket, -1 for a closing one, and 0 for any other character of a C++ name.
inline int bracket_step(char c) {
  if (c == '<' || c == '(' || c == '{' || c == '[') return 1;
  if (c == '>' || c == ')' || c == '}' || c == ']') return -1;
  return 0;
}

}  // namespace kjoule
