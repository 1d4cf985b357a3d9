#include "page/page_section.hpp"

#include <algorithm>

namespace kjoule {

using Json = nlohmann::ordered_json;

PageSection::PageSection(const std::string& id, const std::string& heading)
    : section_{{"id", id}, {"heading", heading}, {"blocks", Json::array()}} {}

void PageSection::add_verdict(const std::string& words, const std::string& reason, const std::string& state) {
  add("verdict", {{"words", words}, {"reason", reason}, {"state", state}});
}

void PageSection::add_figures(const std::vector<KeyFigure>& figures) {
  Json list = Json::array();
  for (const KeyFigure& figure : figures)
    list.push_back({{"label", figure.label}, {"value", figure.value}, {"note", figure.note}});
  add("figures", {{"figures", std::move(list)}});
}

void PageSection::add_paragraph(const std::string& text) {
  add("paragraph", {{"text", text}});
}

void PageSection::add_screen(const std::string& label, const std::string& lines) {
  add("screen", {{"label", label}, {"lines", lines}});
}

void PageSection::add_list(const std::vector<std::string>& items) {
  if (!items.empty()) add("list", {{"items", items}});
}

void PageSection::add_table(const PageTable& table) {
  add("table", table.json());
}

void PageSection::add_terms(const std::vector<std::pair<std::string, std::string>>& terms) {
  Json list = Json::array();
  for (const auto& [term, value] : terms) list.push_back({{"term", term}, {"value", value}});
  add("terms", {{"terms", std::move(list)}});
}

void PageSection::add_picture(const std::string& svg, const std::string& text) {
  add("picture", {{"svg", svg}, {"text", text}});
}

void PageSection::add_chart(const PageChart& chart) {
  add("chart", chart.json());
  has_chart_ = true;
}

void PageSection::add_download(const std::string& label, const std::string& file,
                               const std::string& content) {
  add("download", {{"label", label}, {"file", file}, {"content", content}});
}

void PageSection::name_part(const std::string& part) {
  section_["heading"] = section_["heading"].get<std::string>() + ": " + part;
  section_["id"] = section_["id"].get<std::string>() + "-" + part;
  std::ranges::replace(section_["id"].get_ref<std::string&>(), ' ', '-');
}

void PageSection::add(const char* kind, Json block) {
  block["kind"] = kind;
  section_["blocks"].push_back(std::move(block));
}

}  // namespace kjoule
