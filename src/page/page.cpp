#include "page/page.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "LICENSE_text.hpp"
#include "base/json/dump_json.hpp"
#include "dygraph_style_text.hpp"
#include "dygraph_text.hpp"
#include "page_frame_text.hpp"
#include "page_script_text.hpp"
#include "page_style_text.hpp"
#include "report/markup_text.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

Json page_json(const Page& page) {
  Json sections = Json::array();
  for (const PageSection& section : page.sections)
    if (!section.is_empty()) sections.push_back(section.json());
  return {{"title", page.title}, {"subtitle", page.subtitle}, {"sections", std::move(sections)}};
}

/// Returns JSON for a script element of HTML. Every < is escaped, so that no text in it can end the element.
std::string script_json(const Json& json) {
  std::string text;
  for (const char one : dump_json(json))
    if (one == '<')
      text += "\\u003c";
    else
      text += one;
  return text;
}

/// Returns the library that draws charts, with its licence; nothing if the page has no chart.
std::string library_html(const Page& page) {
  if (std::ranges::none_of(page.sections, &PageSection::has_chart)) return {};
  return std::string("<style>\n") + kDygraphStyle + "</style>\n<script>\n/*\n" + kDygraphLicence + "*/\n" +
         kDygraphScript + "</script>\n";
}

}  // namespace

std::string page_html(const Page& page) {
  const std::pair<std::string_view, std::string> parts[] = {{"{{title}}", markup_text(page.title)},
                                                            {"{{style}}", kPageStyle},
                                                            {"{{data}}", script_json(page_json(page))},
                                                            {"{{library}}", library_html(page)},
                                                            {"{{script}}", kPageScript}};
  std::string text = kPageBeginning;
  std::string_view rest = kPageFrame;
  for (const auto& [place, part] : parts) {  // in the order of the frame
    const size_t at = rest.find(place);
    text += rest.substr(0, at);
    text += part;
    rest.remove_prefix(at + place.size());
  }
  return text.append(rest);
}

}  // namespace kjoule
