#include "cli/options/confirmation.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(ShellText, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_text({"/bin/x", "--n=1", "a b", "$(y)", "it's", ""}),
            "/bin/x --n=1 'a b' '$(y)' 'it'\\''s' ''");
}

}  // namespace
}  // namespace kjoule
