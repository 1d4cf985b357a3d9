#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace kjoule {

/// A list of options, of which a command checks after parsing whether they were given.
using Options = std::vector<const CLI::Option*>;

/// Returns the first option that was given, or null if there is none.
const CLI::Option* first_given(const Options& options);

/// Throws UsageError "--OPTION has no effect WHERE" for the first of the options that was given, so that no
/// user relies on an option that does nothing. Conflicts that only depend on other options are declared with
/// CLI11's needs() and excludes() instead.
void refuse_given(const Options& options, const std::string& where, const std::string& remedy);

/// Throws UsageError for an option or argument of the command that was given with an empty value, as of a
/// shell variable that is not set. The value would otherwise be taken for an option that was not given.
void refuse_empty_values(const CLI::App& command);

/// Prints the warning "--OPTION has no effect WHERE" for each of the options that was given. It is for
/// options whose result would be the same without them, and which scripts pass in any case.
void report_no_effect(const Options& options, const std::string& where);

/// If `flag` was given, throws UsageError for any other option of the command that was given. It is for flags
/// that replace the command's action; declaring exclusions would list them at every option in the help.
void refuse_beside(const CLI::App& app, const CLI::Option* flag);

}  // namespace kjoule
