#pragma once
#include <cstddef>
#include <string>

#include "page/page.hpp"

namespace kjoule {

/// Returns the page as Markdown, for a comment in a code review: verdicts, figures, the first `most_rows`
/// rows of each table, and notes. Pictures, charts, and the terms of the machine are left out.
std::string page_markdown(const Page& page, size_t most_rows);

}  // namespace kjoule
