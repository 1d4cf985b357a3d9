#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// Returns a command line as one would type it into a shell: words with other characters than letters, digits
/// and "_./:=,+@%-" are quoted.
std::string shell_text(const std::vector<std::string>& words);

/// Shows "WHAT: CODE" and asks whether to run it, unless `yes`. Throws Error if the answer is not yes, or if
/// there is no terminal to ask on.
void confirm(const std::string& what, const std::string& code, bool yes);

}  // namespace kjoule
