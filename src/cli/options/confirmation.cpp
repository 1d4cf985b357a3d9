#include "cli/options/confirmation.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <string_view>

#include "base/error.hpp"
#include "base/process/terminal.hpp"

namespace kjoule {

namespace {

constexpr std::string_view kPlain = "_./:=,+@%-";

std::string quoted(const std::string& word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 || kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain) return word;
  std::string text = "'";
  for (const char c : word)
    if (c == '\'')
      text += "'\\''";
    else
      text += c;
  return text + "'";
}

}  // namespace

std::string shell_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

void confirm(const std::string& what, const std::string& code, bool yes) {
  print_error("{}: {}\n", what, code);
  if (yes) return;
  if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1)
    throw Error("the program or model was not run, because there is no terminal for the confirmation",
                "confirm it with --yes");
  print_error("run it? [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  if (answer != "y" && answer != "Y" && answer != "yes")
    throw Error("the program or model was not run, because it was not confirmed", "answer y to run it");
}

}  // namespace kjoule
