#include "names/plain_name.hpp"

#include <algorithm>

#include "names/brackets.hpp"
#include "recording/activity.hpp"
#include "recording/kernel_name.hpp"

namespace kjoule {

namespace {

constexpr std::string_view kUnnamed = "(anonymous namespace)";

/// The two parts of a demangled declaration.
struct Declaration {
  std::string head;        ///< without the return type
  std::string parameters;  ///< without their parentheses
};

bool is_in_identifier(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, from.size(), to);
}

/// Returns the text within the brackets that begin at `open`; the rest of the text if they are not closed.
std::string within_brackets(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += bracket_step(text[i]);
    if (depth == 0) return std::string(text.substr(open + 1, i - open - 1));
  }
  return std::string(text.substr(open + 1));
}

/// Returns whether a name is a function as the demangler prints it, and not a description such as
/// "Memcpy HtoD (Pinned -> Device)". `open` is the place of its parameters.
bool is_declaration(std::string_view name, size_t open) {
  if (name.starts_with("void ")) return true;
  return open != std::string_view::npos && open > 0 &&
         (is_in_identifier(name[open - 1]) || name[open - 1] == '>');
}

Declaration declaration_in(const std::string& name) {
  Declaration declaration;
  int depth = 0;
  size_t open = std::string::npos;
  for (size_t i = 0; i < name.size() && open == std::string::npos; ++i) {
    const char c = name[i];
    if (depth == 0 && std::string_view(name).substr(i, kUnnamed.size()) == kUnnamed) {
      declaration.head += kUnnamed;
      i += kUnnamed.size() - 1;
      continue;
    }
    if (depth == 0 && c == '(' && !declaration.head.empty() && !declaration.head.ends_with("operator")) {
      open = i;
    } else if (depth == 0 && c == ' ' && !name.substr(i).starts_with(" [clone")) {
      declaration.head.clear();  // everything before the blank was the return type
    } else {
      depth = std::max(0, depth + bracket_step(c));
      declaration.head += c;
    }
  }
  if (open == std::string::npos ? !name.starts_with("void ") : !is_declaration(name, open)) return {name, {}};
  if (open != std::string::npos) declaration.parameters = within_brackets(name, open);
  return declaration;
}

/// Returns a text without the namespaces of its types. Only identifiers that "::" follows directly are
/// removed, so that "f(int)::{lambda()#1}" stays.
std::string without_namespaces(std::string text) {
  replace_all(text, "(anonymous namespace)::", "");
  replace_all(text, "> >", ">>");
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "::") != 0) {
      plain += text[i];
      continue;
    }
    size_t begin = plain.size();
    while (begin > 0 && is_in_identifier(plain[begin - 1])) --begin;
    const bool is_space = begin < plain.size() && plain.compare(begin, std::string::npos, "const") != 0;
    if (is_space)
      plain.resize(begin);
    else
      plain += "::";
    ++i;
  }
  return plain;
}

std::string namespaces_of(const std::string& qualified) {
  const size_t end = qualified.rfind("::");
  return end == std::string::npos ? "" : qualified.substr(0, end);
}

}  // namespace

PlainName::PlainName(const std::string& name) {
  const std::string readable = readable_name(name);
  const Declaration declaration = declaration_in(readable);
  if (declaration.head == readable) {
    qualified = function = text = readable;
    return;
  }
  qualified = function_in(readable);
  spaces = namespaces_of(qualified);
  text = without_namespaces(declaration.head);
  const size_t open = text.find('<');
  function = text.substr(0, open);
  if (open != std::string::npos) arguments = split_list(within_brackets(text, open));
  parameters = split_list(without_namespaces(declaration.parameters));
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    depth += bracket_step(c);
    if (c == ',' && depth == 0) {
      parts.push_back(std::move(part));
      part.clear();
    } else if (c != ' ' || !part.empty()) {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

}  // namespace kjoule
