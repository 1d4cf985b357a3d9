#include "report/collective_reports.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(CollectiveReports, LongNamesAreShortenedWithAMark) {
  Comparison comparison;
  for (const char* operation : {"ncclAllReduce", "ncclDevKernel_SendRecv_a", "ncclDevKernel_SendRecv_b"}) {
    CollectiveResult kind;
    kind.operation = operation;
    kind.count = 1;
    kind.ranks.push_back({1e-6, {}});
    kind.of_ranks.push_back(0);
    comparison.collectives.push_back(kind);
  }
  comparison.ranks.emplace_back();
  for (const std::string& text : {collectives_screen(comparison), collectives_text(comparison)}) {
    EXPECT_NE(text.find("\n  AllReduce    "), std::string::npos) << text;
    EXPECT_NE(text.find("\n  DevKernel_S..  "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kjoule
