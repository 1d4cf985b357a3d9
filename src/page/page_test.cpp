#include "page/page.hpp"

#include <gtest/gtest.h>

#include "page/page_markdown.hpp"

namespace kjoule {
namespace {

TEST(Page, DataCannotEndItsScript) {
  Page page{"</title><img src=x>", "a </script><img src=x onerror=alert(1)> subtitle"};
  PageSection section("one", "One");
  section.add_paragraph("</script><script>alert(2)</script>");
  page.sections = {section, PageSection("two", "has no blocks")};
  const std::string html = page_html(page);
  EXPECT_TRUE(html.starts_with(kPageBeginning));
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(html.find("alert(2)</script"), std::string::npos);
  EXPECT_NE(html.find("\\u003c/script>\\u003cscript>alert(2)"), std::string::npos);
  EXPECT_EQ(html.find("has no blocks"), std::string::npos);
}

TEST(Page, OnlyPagesWithAChartHaveItsLibraryWithItsLicence) {
  Page page{"title", "subtitle"};
  PageSection section("one", "One");
  section.add_paragraph("text");
  page.sections = {section};
  EXPECT_EQ(page_html(page).find("Dygraph="), std::string::npos);
  PageChart chart(PageChart::Style::curves, "a curve", "s", "W");
  chart.add_series("gpu");
  chart.add_point(0, {ChartValue{1, 2, 3}});
  page.sections.front().add_chart(chart);
  EXPECT_NE(page_html(page).find("Dygraph="), std::string::npos);
  EXPECT_NE(page_html(page).find("Copyright (c) 2006, 2009, 2011, 2012, 2013, 2017 Dan Vanderkam"),
            std::string::npos);
  EXPECT_EQ(page_html(page).find("sourceMappingURL"), std::string::npos);
}

struct Line {
  std::string name;
  double watts;
};

TEST(Page, MarkdownHasTheFirstRowsAndNoMarkupOfTheData) {
  PageTable table("The lines", "name");
  table.fill<Line>({TableColumn<Line>::number(
                       "W", "", "power", "W", Place::details,
                       [](const Line& line) { return nlohmann::ordered_json(line.watts); }, 1)},
                   Place::details, {{"a|b <img>", 2.25}, {"second", 1}, {"third", 0}},
                   [](const Line& line) { return RowName{line.name}; });
  PageSection section("one", "One"), machine("machine", "Machine");
  section.add_verdict("Time rose", "by *much*", "bad");
  section.add_table(table);
  section.add_screen("lines", "a\n```\nb");
  machine.add_terms({{"device", "gpu"}});
  EXPECT_EQ(page_markdown(Page{"Title", "below", {section, machine}}, 2),
            "### Title\n\nbelow\n\n#### One\n\n**Time rose**: by \\*much\\*\n\n**The lines**\n\n"
            "| name | W |\n|---|--:|\n| a\\|b &lt;img&gt; | 2.2 |\n| second | 1.0 |\n\n"
            "1 more rows (--top N shows more)\n\n````\na\n```\nb\n````\n");
}

}  // namespace
}  // namespace kjoule
