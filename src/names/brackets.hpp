#pragma once

namespace kjoule {

/// Returns by how much a character of a C++ name changes the depth of brackets: 1, 0 or -1.
inline int bracket_step(char c) {
  if (c == '<' || c == '(' || c == '{' || c == '[') return 1;
  if (c == '>' || c == ')' || c == '}' || c == ']') return -1;
  return 0;
}

}  // namespace kjoule
