#include "page/page.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kjoule
