#include "page/page_markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/markup_text.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

std::string markdown_of(const Json& json) {
  return markdown_text(json.get<std::string>());
}

/// Returns the text of a cell, which may have a value, too.
std::string markdown_cell(const Json& cell) {
  const std::string text = markdown_of(cell.is_array() ? cell.at(0) : cell);
  return text.empty() ? "-" : text;
}

std::string markdown_row_of(const Json& row) {
  std::string text = "| ";
  for (size_t depth = row.value("depth", size_t{0}); depth > 0; --depth) text += "&emsp;";
  text += markdown_of(row.at("name"));
  for (const Json& cell : row.at("cells")) text += " | " + markdown_cell(cell);
  return text + " |\n";
}

std::string markdown_table(const Json& table, size_t most_rows) {
  std::string heads = "| " + markdown_of(table.at("nameHead")), rule = "|---";
  for (const Json& column : table.at("columns")) {
    heads += " | " + markdown_of(column.at("head"));
    rule += column.at("number").get<bool>() ? "|--:" : "|---";
  }
  std::string text = fmt::format("**{}**\n\n{} |\n{}|\n", markdown_of(table.at("caption")), heads, rule);
  const Json& rows = table.at("rows");
  const size_t shown = std::min(most_rows, rows.size());
  for (size_t r = 0; r < shown; ++r) text += markdown_row_of(rows[r]);
  if (shown < rows.size()) text += fmt::format("\n{} more rows (--top N shows more)\n", rows.size() - shown);
  return text;
}

std::string markdown_figures(const Json& figures) {
  std::string text;
  for (const Json& figure : figures)
    text += fmt::format("- {}: **{}**, {}\n", markdown_of(figure.at("label")),
                        markdown_of(figure.at("value")), markdown_of(figure.at("note")));
  return text;
}

std::string markdown_list(const Json& items) {
  std::string text;
  for (const Json& item : items) text += fmt::format("- {}\n", markdown_of(item));
  return text;
}

/// Returns the lines as they are, in a fence that is longer than any that they contain.
std::string markdown_screen(const std::string& lines) {
  std::string fence = "```";
  while (lines.find(fence) != std::string::npos) fence += "`";
  return fmt::format("{}\n{}{}{}\n", fence, lines, lines.ends_with("\n") ? "" : "\n", fence);
}

/// Returns a block as Markdown; an empty text if it is left out.
std::string markdown_block(const Json& block, size_t most_rows) {
  const std::string kind = block.at("kind");
  if (kind == "verdict")
    return fmt::format("**{}**: {}\n", markdown_of(block.at("words")), markdown_of(block.at("reason")));
  if (kind == "figures") return markdown_figures(block.at("figures"));
  if (kind == "paragraph") return markdown_of(block.at("text")) + "\n";
  if (kind == "screen") return markdown_screen(block.at("lines"));
  if (kind == "list") return markdown_list(block.at("items"));
  if (kind == "table") return markdown_table(block, most_rows);
  return {};
}

}  // namespace

std::string page_markdown(const Page& page, size_t most_rows) {
  std::string text = fmt::format("### {}\n\n{}\n", markdown_text(page.title), markdown_text(page.subtitle));
  for (const PageSection& section : page.sections) {
    std::string blocks;
    for (const Json& block : section.json().at("blocks"))
      if (const std::string one = markdown_block(block, most_rows); !one.empty()) blocks += "\n" + one;
    if (!blocks.empty())
      text += fmt::format("\n#### {}\n{}", markdown_of(section.json().at("heading")), blocks);
  }
  return text;
}

}  // namespace kjoule
