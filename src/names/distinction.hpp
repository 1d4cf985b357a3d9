#pragma once
#include <string>
#include <vector>

#include "names/plain_name.hpp"

namespace kjoule {

/// Returns for each kernel a suffix of its short name, such as " [1x2, h]", that distinguishes it from the
/// other kernels in `names`. The suffix consists of words of the function's name and of template arguments.
/// If these words do not distinguish all kernels, namespaces are used; if namespaces do not either,
/// parameters. If such a suffix would be longer than `longest` bytes, the suffixes are " #1", " #2", ... The
/// suffix of a single kernel is empty.
std::vector<std::string> distinctions(const std::vector<PlainName>& names, size_t longest);

}  // namespace kjoule
