#include "sampling/shape_list.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

TEST(ShapeList, FurtherColumnsAreIgnoredAndShapesOccurOnce) {
  const std::vector<SampleShape> shapes = read_shape_list(
      "b,l,dim,direction,unit,measured,expected,reason\n"
      "1,64,128,forward,us,9.5,3.2,more than 2 larger shapes\n"
      "1,64,128,backward,us,12,4,\"more than the next smaller and larger shapes suggest\"\n"
      "2,64,64,forward,us,9.5,3.2,x\n",
      "list.csv", {"b", "l", "dim"});
  EXPECT_EQ(shapes, (std::vector<SampleShape>{{1, 64, 128}, {2, 64, 64}}));
}

TEST(ShapeList, OtherFilesAreRefused) {
  const auto message = [](const char* csv) {
    try {
      read_shape_list(csv, "list.csv", {"b", "l"});
    } catch (const Error& error) {
      return error.line();
    }
    return std::string("read");
  };
  EXPECT_EQ(message("l,b\n1,2\n").substr(0, 45), "list.csv:1: the first columns are not b,l; gi");
  EXPECT_EQ(message("b,l\n1,2.5\n"), "list.csv:2: l is not a size (a whole number); correct the line");
  EXPECT_EQ(message("b,l\n1\n"), "list.csv:2: l is not a size (a whole number); correct the line");
  EXPECT_EQ(message("b,l\n").substr(0, 32), "list.csv: the file lists no shap");
}

}  // namespace
}  // namespace kjoule
