#include "cli/options/allowed_operators.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace kjoule {

namespace {

bool is_identifier(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::string why_no_operator_name(const std::string& text) {
  const size_t mark = text.find("::");
  const std::string_view name = text;
  if (mark != std::string::npos && is_identifier(name.substr(0, mark)) &&
      is_identifier(name.substr(mark + 2)))
    return {};
  return text + " is not of the form NAMESPACE::OPERATOR (without the name of an overload)";
}

}  // namespace

CLI::Option* declare_allowed_operators(CLI::App& app, std::vector<std::string>& names) {
  return app
      .add_option("--allow-operator", names,
                  "operator that input files may call although it is not in kjoule's list of allowed "
                  "operators, such as aten::resize_; may be repeated (docs/design/trust.md)")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->check(why_no_operator_name);
}

}  // namespace kjoule
