#include "report/kernel_columns.hpp"

#include <gtest/gtest.h>

#include "report/console.hpp"
#include "report/documented_columns.hpp"
#include "report/kernel_table.hpp"

namespace kjoule {
namespace {

KernelResult kernel(const std::string& name, double time_s) {
  KernelResult result;
  result.name = result.signature = name;
  result.count = 4;
  result.in_context_s = Interval{time_s, 1e-7};
  return result;
}

Comparison comparison() {
  Comparison c;
  c.kernels = {kernel("product", 60e-6), kernel("memcpy HtoD", 20e-6)};
  c.kernels[1].bytes_moved = 4'000'000;
  c.times.sum_s = {80e-6, 1e-6};
  return c;
}

nlohmann::ordered_json listed(const Comparison& c, size_t which) {
  const KernelNames names = names_of(c.kernels);
  return json_object(kernel_columns(), kernel_rows(c.kernels, names, &c)[which]);
}

TEST(KernelColumns, AreDescribedInTheSchema) {
  expect_descriptions(kernel_columns(), Reference(__FILE__).properties("comparison_report", "/$defs/kernel"));
}

TEST(KernelColumns, AreLinesOfTheReferencePage) {
  EXPECT_EQ(Reference(__FILE__).table_in_formats("| columns of `compare`"),
            described_in_formats(kernel_columns()));
}

TEST(KernelColumns, HaveBytesOfCopiesAndSharesOfARunWhereTheyAreKnown) {
  Comparison c = comparison();
  EXPECT_EQ(listed(c, 0).at("bytes_moved"), nullptr);
  EXPECT_EQ(listed(c, 1).at("bytes_moved"), 4'000'000);
  EXPECT_EQ(listed(c, 0).at("share_of_run_percent"), nullptr);
  EXPECT_EQ(largest_kernels(c, 5, NameStyle::shortened).find("% of run"), std::string::npos);
  c.part.emplace().run_share = 0.5;
  c.part->is_loop = true;
  EXPECT_DOUBLE_EQ(listed(c, 0).at("share_percent"), 75);
  EXPECT_DOUBLE_EQ(listed(c, 0).at("share_of_run_percent"), 37.5);
  const std::string table = all_kernels(c, 5, names_of(c.kernels));
  for (const char* part : {"% of run", "37.5", "MB", " 4\n"})
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
}

TEST(KernelColumns, HaveNoValueForWhatWasNotMeasured) {
  Comparison c = comparison();
  c.kernels[0].in_context_s.reset();
  EXPECT_EQ(listed(c, 0).at("total_us"), nullptr);
  EXPECT_FALSE(listed(c, 0).contains("error")) << "a text that there is not";
  EXPECT_EQ(kernels_json(c.kernels)[0].count("total_us"), 0U);
  EXPECT_NE(kernels_csv(c.kernels).find("product,4,unknown,,unknown,,1,,,"), std::string::npos)
      << kernels_csv(c.kernels);
}

}  // namespace
}  // namespace kjoule
