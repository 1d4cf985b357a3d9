#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace kjoule {

/// Options that a command keeps to tell whether they were given.
using Options = std::vector<const CLI::Option*>;

/// Null when none was.
const CLI::Option* first_given(const Options& options);

/// An option that does nothing would be believed to do something: throws UsageError "--this has no effect
/// WHERE" for the first one that was given. What only depends on which other options there are is declared
/// instead (needs, excludes).
void refuse_given(const Options& options, const std::string& where, const std::string& remedy);

/// The same of all others of the command where a flag was given that is a request of its own: declared as
/// excluded each would say so in the command's help.
void refuse_beside(const CLI::App& app, const CLI::Option* flag);

}  // namespace kjoule
