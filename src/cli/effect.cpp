#include "cli/effect.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace kjoule {

const CLI::Option* first_given(const Options& options) {
  const auto given =
      std::find_if(options.begin(), options.end(), [](const auto* one) { return one->count() > 0; });
  return given == options.end() ? nullptr : *given;
}

void refuse_given(const Options& options, const std::string& where, const std::string& remedy) {
  if (const CLI::Option* one = first_given(options))
    throw Error(one->get_name() + " has no effect " + where, remedy);
}

void stands_alone(CLI::App& app, CLI::Option* flag) {
  for (CLI::Option* other : app.get_options({}))
    if (other != flag && other != app.get_help_ptr()) flag->excludes(other);
}

}  // namespace kjoule
