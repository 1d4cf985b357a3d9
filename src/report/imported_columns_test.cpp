#include "report/imported_columns.hpp"

#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "importers/imported_file.hpp"
#include "report/documented_columns.hpp"
#include "report/imported_tables.hpp"

namespace kjoule {
namespace {

constexpr std::array kEveryGroupBy = {GroupBy::signature, GroupBy::name, GroupBy::operator_call,
                                      GroupBy::tier, GroupBy::category};

ImportedKernel launched(const std::string& name, uint64_t launches) {
  ImportedKernel kernel;
  kernel.name = name;
  kernel.launches = launches;
  return kernel;
}

/// Two kernels in two iterations: one with a large time, one without times.
ImportedTable two_kernels() {
  ImportedTable table;
  table.iterations = {IterationSource::option, 2};
  table.kernels = {launched("long", 8'000'000'000), launched("untimed", 2)};
  table.kernels[0].times = RecordedTimes{123'456'789'012'345'678, {}, {}};
  return table;
}

/// Returns the lines with the heads and with numbers.
std::vector<std::string> lines_of_numbers(const std::string& console) {
  std::vector<std::string> lines;
  std::istringstream text(console);
  for (std::string line; std::getline(text, line);)
    if (line.find("mean us") != std::string::npos || !lines.empty()) lines.push_back(line);
  return lines;
}

TEST(ImportedColumns, AreTheLinesOfTheReferencePage) {
  EXPECT_EQ(Reference(__FILE__).table_in_formats("| fields of a kernel"),
            described_in_formats(imported_columns(GroupBy::signature)));
}

TEST(ImportedColumns, HaveTheSameKeysInCsvAndJson) {
  for (const GroupBy by : kEveryGroupBy)
    EXPECT_EQ(keys_in(Place::csv, imported_columns(by)), keys_in(Place::json, imported_columns(by)))
        << group_by_text(by);
}

TEST(ImportedColumns, AreTheFieldsOfKernelsJsonl) {
  ImportedTable table = two_kernels();
  table.kernels[0].gpu = 1;
  const KernelNames names({"long", "untimed"});
  for (const ImportedLine& line : imported_lines(table, GroupBy::signature, names)) {
    auto printed = json_object(imported_columns(GroupBy::signature), line);
    printed.erase("short_name");
    EXPECT_EQ(nlohmann::json(printed), nlohmann::json(kernel_to_json(table, *line.line.kernels.front())));
  }
}

TEST(ImportedColumns, AreAlignedHoweverLargeTheirNumbersAre) {
  for (const GroupBy by : {GroupBy::signature, GroupBy::name}) {
    const auto lines = lines_of_numbers(imported_console(two_kernels(), by));
    ASSERT_EQ(lines.size(), 5U);
    for (const size_t numbers : {2, 4}) EXPECT_EQ(lines[numbers].size(), lines[0].size()) << lines[numbers];
    EXPECT_NE(lines[2].find("123456789012345.688"), std::string::npos) << lines[2];
  }
}

TEST(ImportedColumns, HaveADashForWhatIsNotKnown) {
  ImportedTable table = two_kernels();
  const std::string text = imported_console(table, GroupBy::signature);
  EXPECT_NE(text.find("       -         -         -                   -\n"), std::string::npos) << text;
  table.kernels[1].gpu = 1;
  table.kernels.push_back(launched("third", 2));
  table.kernels[2].gpu = 2;
  EXPECT_NE(imported_console(table, GroupBy::signature).find("\n  - 4000000000 unknown "), std::string::npos);
}

}  // namespace
}  // namespace kjoule
