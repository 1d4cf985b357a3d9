#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "page/page_chart.hpp"
#include "page/page_table.hpp"

namespace kjoule {

/// A number that a reader looks for first: "One iteration takes", "76.1 us", "as the program runs it".
struct KeyFigure {
  std::string label, value, note;
};

/// A section of a page: a heading and blocks below it, in the order in which they are added. Texts may come
/// from data; the page shows them as text, never as markup.
class PageSection {
 public:
  /// `id` is the section's address within the page.
  PageSection(const std::string& id, const std::string& heading);

  /// Adds a verdict: its words, and one sentence with its reason. `state` is "good", "bad" or "open".
  void add_verdict(const std::string& words, const std::string& reason, const std::string& state);
  void add_figures(const std::vector<KeyFigure>& figures);
  void add_paragraph(const std::string& text);
  /// Adds lines whose columns are aligned by spaces, as on the screen.
  void add_screen(const std::string& label, const std::string& lines);
  void add_list(const std::vector<std::string>& items);
  void add_table(const PageTable& table);
  /// Adds terms with their values.
  void add_terms(const std::vector<std::pair<std::string, std::string>>& terms);
  /// Adds a picture (SVG), which is described by `text`.
  void add_picture(const std::string& svg, const std::string& text);
  void add_chart(const PageChart& chart);
  /// Adds a button that saves a file.
  void add_download(const std::string& label, const std::string& file, const std::string& content);

  /// Adds the name of a part of the program, to which the section belongs, to its heading and address.
  void name_part(const std::string& part);

  bool has_chart() const { return has_chart_; }
  bool is_empty() const { return section_.at("blocks").empty(); }
  const nlohmann::ordered_json& json() const { return section_; }

 private:
  void add(const char* kind, nlohmann::ordered_json block);

  nlohmann::ordered_json section_;
  bool has_chart_ = false;
};

}  // namespace kjoule
