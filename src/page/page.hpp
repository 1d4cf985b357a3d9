#pragma once
// The module page makes HTML pages: one self-contained file of a result, which loads nothing. A page is a
// list of sections, whose blocks are data (JSON); the script of the page makes elements of them, and shows
// all texts as text. The tables are made from the columns that are declared for the tables on the screen
// (report/table_column.hpp). files/ has the frame, the style and the script. Read first: PageSection,
// comparison_page.cpp.

#include <string>
#include <vector>

#include "page/page_section.hpp"

namespace kjoule {

/// The first line of every page, by which kjoule recognises its own.
inline constexpr const char* kPageBeginning = "<!doctype html><!-- a page of kjoule -->\n";

/// A page of one result.
struct Page {
  std::string title;     ///< what was measured
  std::string subtitle;  ///< where, when and by which version
  std::vector<PageSection> sections{};
};

/// Returns the page as an HTML file. Sections without blocks are left out.
std::string page_html(const Page& page);

}  // namespace kjoule
