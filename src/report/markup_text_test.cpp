#include "report/markup_text.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(MarkupText, EscapesMarkup) {
  EXPECT_EQ(markup_text("<script>\"a\" & 'b'</script>"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;");
  EXPECT_EQ(markup_text("]]>&#0;"), "]]&gt;&amp;#0;");
}

TEST(MarkupText, HasNoCharactersThatXmlForbids) {
  EXPECT_EQ(markup_text("a\x1b\tb\nc\x7f"), "a  b c ");
  EXPECT_EQ(markup_text("\xEF\xBF\xBE\xEF\xBF\xBF\xFF"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(markup_text("left\xE2\x80\xAEright \xC3\xA9"), "left right \xC3\xA9");
}

}  // namespace
}  // namespace kjoule
