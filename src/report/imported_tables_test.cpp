#include "report/imported_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "importers/import.hpp"
#include "importers/imported_file.hpp"
#include "importers/trace_builder.hpp"

namespace kjoule {
namespace {

ImportedTable imported(const std::string& text, const std::string& file) {
  return import_text(PaddedText::copy_of(text), {}, file);
}

/// One launch of aten::cat as kjoule records it: its arguments hold lists, texts and nothing.
std::string recorded() {
  return R"({"format": "kjoule-recording", "version": 1, "program": {}, "device": {}, "launches": 1})"
         "\n"
         R"({"name": "aten::cat", "tier": 3, "signature": "aten::cat [Float[2,3][3,1]] 1 \"a, b\"", "detail": )"
         R"({"operator": "aten::cat", "outputs": [], "arguments": [[{"tensor": {"dtype": "Float", )"
         R"("shape": [2, 3], "strides": [3, 1], "value": 0, "storage": 1, "offset": 0}}], 1, )"
         R"("a, \"b\"", {"double": "0.5"}, null, true]}})"
         "\n";
}

TEST(ImportedTables, CsvGivesTheKernelsBackThatWereWritten) {
  std::string differing = TraceBuilder().steps(3).launch("k", "[1,1,1]").steps(1).text();
  for (const std::string& text : {recorded(), TraceBuilder().steps(4).text(), differing}) {
    const ImportedTable table = imported(text, "first");
    const ImportedTable again = imported(imported_csv(table, GroupBy::signature), "second");
    ASSERT_EQ(again.kernels.size(), table.kernels.size());
    for (const ImportedKernel& kernel : table.kernels) {
      const auto same =
          std::find_if(again.kernels.begin(), again.kernels.end(), [&](const ImportedKernel& other) {
            return kernel_to_json(again, other) == kernel_to_json(table, kernel);
          });
      EXPECT_NE(same, again.kernels.end()) << kernel_to_json(table, kernel);
    }
  }
}

}  // namespace
}  // namespace kjoule
