#pragma once
#include <string>
#include <vector>

#include "names/plain_name.hpp"

namespace kjoule {

/// Returns for each kernel a suffix of its short name, such as " [1x2, h]", that distinguishes it from the
/// other kernels in `names`. The suffix consists of words of the function's name and of template arguments;
/// if these are not sufficient, of namespaces; otherwise of parameters. If no such suffix has at most
/// `longest` bytes, the suffixes are " #1", " #2", ... The suffix of a single kernel is empty.
std::vector<std::string> distinctions(const std::vector<PlainName>& names, size_t longest);

}  // namespace kjoule
