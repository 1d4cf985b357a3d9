#pragma once
// For tests that compare columns with the pages and schemas in docs/reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "report/table_column.hpp"

namespace kjoule {

/// The pages and schemas in docs/reference.
class Reference {
 public:
  /// Takes the path of a test in a folder of src.
  explicit Reference(const char* test)
      : folder_(std::filesystem::path(test).parent_path().parent_path().parent_path() / "docs/reference") {}

  /// Returns the lines of the table in formats.md whose head begins with `head`, without the two lines of its
  /// head.
  std::string table_in_formats(const std::string& head) const {
    std::ifstream page(folder_ / "formats.md");
    std::string line, table;
    while (std::getline(page, line) && !line.starts_with(head)) {
    }
    std::getline(page, line);
    while (std::getline(page, line) && !line.empty()) table += line + "\n";
    return table;
  }
  /// Returns the properties of the object at this JSON pointer of a schema.
  nlohmann::json properties(const std::string& schema, const std::string& pointer) const {
    std::ifstream file(folder_ / "schemas" / (schema + ".schema.json"));
    return nlohmann::json::parse(file).at(nlohmann::json::json_pointer(pointer)).at("properties");
  }

 private:
  std::filesystem::path folder_;
};

/// Returns the lines that describe the columns in formats.md: key, meaning and unit of each one in CSV.
template <class Row>
std::string described_in_formats(const std::vector<TableColumn<Row>>& columns) {
  std::string table;
  for (const TableColumn<Row>& column : columns)
    if (column.is_in(Place::csv))
      table += fmt::format("| `{}` | {} | {} |\n", column.key, column.meaning, column.unit);
  return table;
}

/// Returns the keys of the columns that are in this kind of file.
template <class Row>
std::set<std::string> keys_in(Place file, const std::vector<TableColumn<Row>>& columns) {
  std::set<std::string> keys;
  for (const TableColumn<Row>& column : columns)
    if (column.is_in(file)) keys.insert(column.key);
  return keys;
}

/// Returns the columns that the screen does not show, which the help does not explain in its own words.
template <class Row>
std::vector<TableColumn<Row>> without_head(const std::vector<TableColumn<Row>>& columns) {
  std::vector<TableColumn<Row>> hidden;
  for (const TableColumn<Row>& column : columns)
    if (column.head.empty()) hidden.push_back(column);
  return hidden;
}

/// Expects each column in JSON to be one of these properties of a schema.
template <class Row>
void expect_fields(const std::vector<TableColumn<Row>>& columns, const nlohmann::json& properties) {
  for (const std::string& key : keys_in(Place::json, columns)) EXPECT_TRUE(properties.contains(key)) << key;
}

/// Expects the columns in JSON to be these properties of a schema, with no other property.
template <class Row>
void expect_all_fields(const std::vector<TableColumn<Row>>& columns, const nlohmann::json& properties) {
  expect_fields(columns, properties);
  const auto in_json = [](const TableColumn<Row>& column) { return column.is_in(Place::json); };
  EXPECT_EQ(static_cast<size_t>(std::count_if(columns.begin(), columns.end(), in_json)), properties.size());
}

/// Expects each column in JSON to be a property of a schema with the column's description.
template <class Row>
void expect_descriptions(const std::vector<TableColumn<Row>>& columns, const nlohmann::json& properties) {
  for (const TableColumn<Row>& column : columns) {
    if (!column.is_in(Place::json)) continue;
    ASSERT_TRUE(properties.contains(column.key)) << column.key;
    EXPECT_EQ(properties.at(column.key).at("description"), column.description());
  }
}

}  // namespace kjoule
