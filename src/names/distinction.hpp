#pragma once
#include <string>
#include <vector>

#include "names/plain_name.hpp"

namespace kjoule {

/// Returns for each of several different kernels what distinguishes it from the others, as a suffix of a
/// short name: " [1x2, h]". Parts of the function's name and its template arguments are preferred to
/// namespaces, and these to parameters. The suffixes are " #1", " #2", ... if nothing of at most `longest`
/// bytes distinguishes the kernels. That of a single kernel is empty.
std::vector<std::string> distinctions(const std::vector<PlainName>& names, size_t longest);

}  // namespace kjoule
