#pragma once
#include <CLI/CLI.hpp>

namespace kjoule {

/// Checks how the command line writes its options, before CLI11 parses it. Throws UsageError for a flag with
/// a value (--json=3), which CLI11 ignores or takes for a number of flags; for a short option with "="
/// (-o=x), whose value would contain the "="; and for an option without a value before another option
/// (--model= -v, -o --json), whose value would be the name of that option. `app` has all commands and their
/// options.
void check_option_words(const CLI::App& app, int argc, const char* const* argv);

}  // namespace kjoule
