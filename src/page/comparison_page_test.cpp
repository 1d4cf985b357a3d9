#include "page/comparison_page.hpp"

#include <gtest/gtest.h>

#include "page/comparison_parts.hpp"
#include "page/work_section.hpp"
#include "report/kernel_columns.hpp"

namespace kjoule {
namespace {

KernelResult measured_kernel(const std::string& name, double total_s, double joules) {
  KernelResult kernel;
  kernel.name = kernel.signature = name;
  kernel.category = "gemm";
  kernel.count = 2;
  kernel.in_context_s = Interval{total_s, 0.01 * total_s};
  kernel.energy = KernelJoules{{joules, 0.1 * joules}, total_s, joules};
  return kernel;
}

Comparison two_kernels() {
  Comparison comparison;
  comparison.kernels = {measured_kernel("first", 3e-5, 1e-3), measured_kernel("second", 1e-5, 3e-3)};
  comparison.times.whole_s = {4.1e-5, 1e-7};
  comparison.times.sum_s = {4e-5, 1e-7};
  return comparison;
}

/// Returns the cell of a row in the column with this head.
nlohmann::ordered_json cell(const PageTable& table, size_t row, const std::string& head) {
  const auto& columns = table.json().at("columns");
  for (size_t i = 0; i < columns.size(); ++i)
    if (columns[i].at("head") == head) return table.json().at("rows").at(row).at("cells").at(i);
  return nullptr;
}

TEST(ComparisonPage, KernelsHaveTheColumnsOfTheScreen) {
  const PageTable table = kernels_table(two_kernels());
  std::vector<std::string> heads;
  for (const auto& column : table.json().at("columns")) heads.push_back(column.at("head"));
  std::vector<std::string> declared;
  for (const auto& column : kernel_columns())
    if (column.is_in(Place::details | Place::listed) && column.cell) declared.push_back(column.head);
  std::erase_if(declared, [](const std::string& head) {  // no kernel has a value
    return head == "% of run" || head == "isolated us" || head == "MB";
  });
  EXPECT_EQ(heads, declared);
  EXPECT_EQ(table.json().at("sorted"), "all us");
}

TEST(ComparisonPage, CellsHaveTheTextOfTheScreenAndTheValueOfFiles) {
  const PageTable table = kernels_table(two_kernels());
  EXPECT_EQ(cell(table, 0, "all us").at(0), "30.0");
  EXPECT_DOUBLE_EQ(cell(table, 0, "all us").at(1), 30);
  EXPECT_EQ(cell(table, 1, "all mJ").at(0), "3.00");
  EXPECT_EQ(cell(table, 1, "category"), "gemm");
}

TEST(ComparisonPage, CategoriesAddUpToTheirKernels) {
  const PageTable table = categories_table(two_kernels());
  ASSERT_EQ(table.json().at("rows").size(), 1);
  EXPECT_EQ(cell(table, 0, "launches").at(0), "4");
  EXPECT_EQ(cell(table, 0, "us").at(0), "40.0");
  EXPECT_EQ(cell(table, 0, "% of time").at(0), "100.0");
  EXPECT_EQ(cell(table, 0, "mJ").at(0), "4.00");
}

nlohmann::json tensor(int storage, const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  return {{"tensor",
           {{"dtype", "Float"},
            {"offset", 0},
            {"shape", shape},
            {"strides", strides},
            {"storage", storage},
            {"value", storage}}}};
}

Launch linear_launch() {
  const nlohmann::json detail{
      {"operator", "aten::linear"},
      {"arguments",
       {tensor(1, {1, 5, 64}, {320, 64, 1}), tensor(2, {192, 64}, {64, 1}), tensor(3, {192}, {1})}},
      {"outputs", nlohmann::json::array({tensor(4, {1, 5, 192}, {960, 192, 1})})}};
  return {"aten::linear", Tier::vendor_library, "first", detail};
}

TEST(ComparisonPage, WorkIsThatOfOperatorsAndCopies) {
  Comparison comparison = two_kernels();  // of 2 launches each, in 30 and 10 us
  comparison.kernels[1].bytes_moved = 50'000;
  Recording recording;
  recording.launches = {linear_launch(), {"copy", Tier::cuda_runtime, "second", {}}};
  const PageSection section = work_section(recording, comparison);
  const auto& blocks = section.json().at("blocks");
  ASSERT_EQ(blocks.size(), 2);
  const auto& linear = blocks[0].at("rows").at(0).at("cells");
  const double flops = 2 * 2.0 * 5 * 64 * 192, bytes = 2 * 4.0 * (5 * 64 + 192 * 64 + 192 + 5 * 192);
  EXPECT_EQ(blocks[0].at("columns").at(1).at("head"), "MFLOP");
  EXPECT_DOUBLE_EQ(linear.at(1).at(1), 1e-6 * flops);
  EXPECT_DOUBLE_EQ(linear.at(2).at(1), 1e-6 * bytes);
  EXPECT_DOUBLE_EQ(linear.at(3).at(1), 1e-9 * flops / 3e-5);
  EXPECT_EQ(linear.at(6), "its tensors: matrix product");
  const auto& copy = blocks[0].at("rows").at(1).at("cells");
  EXPECT_EQ(copy.at(1), "") << "a copy computes nothing";
  EXPECT_DOUBLE_EQ(copy.at(4).at(1), 2 * 50'000 / 1e-5 * 1e-9);
}

TEST(ComparisonPage, TheWorkOfAKernelWithoutOperatorIsNotKnown) {
  Recording recording;
  recording.launches = {{"first", Tier::unknown, "first", {{"grid", {16, 1, 1}}}}};
  EXPECT_TRUE(work_section(recording, two_kernels()).is_empty());
}

}  // namespace
}  // namespace kjoule
