#include "cli/shell/manual_page.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(ManualPage, HasEachGroupOfOptions) {
  CLI::App kjoule("");
  CLI::App& app = *kjoule.add_subcommand("list-x", "measures \\it");
  std::string text;
  bool flag = false;
  app.add_option("file", text, "what is read")->required();
  app.add_flag("--fast", flag, ".s and -x mean nothing here");
  app.add_option("-m,--meter", text, "the meter")->group("Energy \"of\" all");
  app.footer("Columns of it:\n  us   time\nexample: kjoule x --fast");
  const std::string page = manual_page(app);
  EXPECT_NE(page.find("kjoule\\-list\\-x \\- measures \\eit\n"), std::string::npos) << page;
  EXPECT_NE(page.find(".SH \"SYNOPSIS\"\nkjoule list\\-x [OPTIONS] file\n"), std::string::npos) << page;
  EXPECT_NE(page.find(".SH \"ARGUMENTS\"\n.TP\n\\fBfile TEXT (required)\\fR\nwhat is read\n"),
            std::string::npos);
  EXPECT_NE(page.find("\\fB\\-\\-fast\\fR\n\\&.s and \\-x mean"), std::string::npos) << page;
  EXPECT_NE(page.find(".SH \"Energy \\(dqof\\(dq all\"\n.TP\n\\fB\\-m,\\-\\-meter TEXT\\fR\nthe meter\n"),
            std::string::npos);
  EXPECT_NE(page.find(".SH \"OUTPUT\"\n.nf\nColumns of it:\n  us   time\n.fi\n"), std::string::npos) << page;
  EXPECT_NE(page.find(".SH \"EXAMPLE\"\n.nf\nkjoule x \\-\\-fast\n.fi\n"), std::string::npos) << page;
}

}  // namespace
}  // namespace kjoule
