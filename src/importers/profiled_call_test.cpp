#include "importers/profiled_call.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

using Json = nlohmann::json;

LaunchingOperator profiled() {
  return {"aten::addmm",
          Json::parse("[[4], [5, 8], [8, 4], [], []]"),
          Json::parse("[[1], [8, 1], [1, 8], [], []]"),
          Json::parse(R"(["c10::Half", "c10::Half", "c10::Half", "Scalar", "Scalar"])"),
          Json::parse(R"(["", "", "", "1", "0.5"])"),
          {}};
}

Json argument(const std::string& type, const std::string& dims, const std::string& concrete) {
  const LaunchingOperator by{"aten::x",           Json::parse("[" + dims + "]"), {},
                             Json::array({type}), Json::array({concrete}),       {}};
  return make_operator_call(by).arguments.at(0);
}

std::string error_of(const LaunchingOperator& by) {
  try {
    make_operator_call(by);
  } catch (const Error& error) {
    return error.line();
  }
  return "";
}

TEST(OperatorCall, TakesWhatTheProfilerWrote) {
  const OperatorCall call = make_operator_call(profiled());
  EXPECT_EQ(call.name, "aten::addmm");
  EXPECT_EQ(call.arguments, Json::parse(R"([{"tensor": {"dtype": "Half", "shape": [4], "strides": [1]}},
      {"tensor": {"dtype": "Half", "shape": [5, 8], "strides": [8, 1]}},
      {"tensor": {"dtype": "Half", "shape": [8, 4], "strides": [1, 8]}}, 1, {"double": "0.5"}])"));
}

TEST(OperatorCall, ReadsScalarsAsTheProfilerWritesThem) {
  EXPECT_EQ(argument("Scalar", "[]", "True"), Json(true));
  EXPECT_EQ(argument("Scalar", "[]", "-inf"), Json::parse(R"({"double": "-inf"})"));
  EXPECT_EQ(argument("ScalarList", "[]", "[2, -1]"), Json::parse("[2, -1]"));
  EXPECT_EQ(argument("ScalarList", "[]", "[]"), Json::array());
  EXPECT_EQ(argument("", "[]", ""), Json());
}

TEST(OperatorCall, ListsOfTensorsHaveNoTypeAndOldTracesNoStrides) {
  EXPECT_EQ(argument("TensorList", "[[2, 3], []]", ""),
            Json::parse(R"([{"tensor": {"dtype": null, "shape": [2, 3], "strides": [3, 1]}},
                            {"tensor": {"dtype": null, "shape": [], "strides": []}}])"));
}

TEST(OperatorCall, ReportsWhatIsMissingAndHowItComesIntoATrace) {
  EXPECT_NE(error_of({}).find("--like TRACE"), std::string::npos);
  LaunchingOperator by = profiled();
  by.concrete_inputs = {};
  EXPECT_NE(error_of(by).find("Concrete Inputs"), std::string::npos);
  by = {"aten::mm", {}, {}, {}, {}, {}};
  EXPECT_NE(error_of(by).find("record_shapes was off"), std::string::npos);
  by = profiled();
  by.input_types = {};
  EXPECT_NE(error_of(by).find("but not their types; add input_types"), std::string::npos) << error_of(by);
  EXPECT_THROW(argument("TensorList", "[]", ""), Error);
}

/// Returns aten::index of a matrix, with this type and these sizes of its list of indices.
LaunchingOperator indexing(const char* type, const char* dims) {
  return {"aten::index",
          Json::parse(fmt::format("[[5, 7], {}]", dims)),
          {},
          Json::array({"c10::Half", type}),
          Json::parse(R"(["", ""])"),
          {}};
}

TEST(OperatorCall, IndicesAreWholeNumbers) {
  EXPECT_EQ(make_operator_call(indexing("TensorList", "[[3], [3]]")).arguments.at(1),
            Json::parse(R"([{"tensor": {"dtype": "Long", "shape": [3], "strides": [1]}},
                            {"tensor": {"dtype": "Long", "shape": [3], "strides": [1]}}])"));
}

TEST(OperatorCall, ReportsThatTheProfilerOmitsIndices) {
  for (const char* type : {"", "TensorList"})
    EXPECT_EQ(error_of(indexing(type, "[]")),
              "the trace lacks the index tensors of aten::index: PyTorch's profiler omits lists of optional "
              "tensors; measure the program itself with kjoule compare -- PROGRAM")
        << type;
}

TEST(OperatorCall, RefusesWhatCannotBeMadeAgain) {
  for (const auto& [type, dims, concrete] :
       std::vector<std::array<const char*, 3>>{{"MyType", "[]", ""},
                                               {"Scalar", "[]", "many"},
                                               {"ScalarList", "[]", "1, 2"},
                                               {"float", "[-1]", ""},
                                               {"float", "\"x\"", ""},
                                               {"TensorList", "3", ""}})
    EXPECT_THROW(argument(type, dims, concrete), Error) << type << dims << concrete;
  LaunchingOperator by = profiled();
  by.input_types.erase(0);
  EXPECT_NE(error_of(by).find("not lists of the same length"), std::string::npos);
  by = profiled();
  by.input_dims = 5;
  EXPECT_NE(error_of(by), "");
  EXPECT_THROW(argument("float", "[17592186044416, 17592186044416, 2]", ""), Error);
  for (const char* wrong : {"3", R"([{"tensor": 3}])", R"([[{"tensor": {"shape": [1], "strides": []}}]])",
                            R"([{"tensor": {"shape": [-1], "strides": [1]}}])",
                            R"([{"tensor": {"shape": [1], "strides": [1], "dtype": 4}}])"}) {
    LaunchingOperator recorded{"aten::mm", {}, {}, {}, {}, Json::parse(wrong)};
    EXPECT_NE(error_of(recorded), "") << wrong;
  }
}

TEST(OperatorCall, KeepsRecordedArgumentsWithoutIdentities) {
  const Json recorded =
      Json::parse(R"([{"tensor": {"value": 3, "dtype": "Float", "shape": [2], "strides": [1],
      "storage": 1, "offset": 0}}, [{"tensor": {"value": 4, "dtype": "Long", "shape": [], "strides": []}}], 2, null])");
  EXPECT_EQ(arguments_without_identities(recorded),
            Json::parse(R"([{"tensor": {"dtype": "Float", "shape": [2], "strides": [1]}},
                            [{"tensor": {"dtype": "Long", "shape": [], "strides": []}}], 2, null])"));
}

}  // namespace
}  // namespace kjoule
