#include "device/model_input.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace kjoule {
namespace {

/// Returns the message of the refusal; "" if the text is accepted.
std::string refusal_of(const std::string& text) {
  try {
    parse_model_input(text);
  } catch (const Error& error) {
    return error.line();
  }
  return "";
}

/// Returns the message of the refusal of a model's description; "" if it is accepted.
std::string refusal_of_description(const nlohmann::json& description) {
  try {
    check_model_description(description);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ModelDescription, IsWhatKjouleExportWrites) {
  const nlohmann::json input{{"name", "x"},     {"dtype", "int64"},
                             {"shape", {1, 5}}, {"dims", {"batch", nullptr}},
                             {"low", 0},        {"high", 9}};
  EXPECT_EQ(refusal_of_description({{"inputs", nlohmann::json::array({input})},
                                    {"training", false},
                                    {"baked", nlohmann::json::array({"batch"})}}),
            "");
  EXPECT_EQ(refusal_of_description(nlohmann::json::object()), "");
  const auto with = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json changed = input;
    changed[key] = value;
    return refusal_of_description({{"inputs", nlohmann::json::array({input, changed})}});
  };
  EXPECT_EQ(with("high", nullptr), "");
  EXPECT_EQ(with("dims", nullptr), "");
  EXPECT_EQ(with("name", 7), "inputs/1.name: not a text");
  EXPECT_EQ(with("dtype", 5), "inputs/1.dtype: not a text");
  EXPECT_EQ(with("dtype", "complex"), "inputs/1.dtype: the type of the input is not known");
  EXPECT_EQ(with("shape", "2x3"), "inputs/1.shape: not a list of whole numbers");
  EXPECT_EQ(with("shape", nlohmann::json::array({2.5, 3})), "inputs/1.shape: not a list of whole numbers");
  EXPECT_NE(with("shape", nlohmann::json::array({-2, 3}))
                .find("inputs/1.shape: the sizes of the input are negative"),
            std::string::npos);
  EXPECT_EQ(with("dims", nlohmann::json::array({"batch"})), "inputs/1.dims: not one name for each size");
  EXPECT_EQ(with("low", 9), "inputs/1.high: not above low");
  EXPECT_EQ(with("low", "0"), "inputs/1.low, high: not whole numbers");
}

TEST(ModelDescription, OfAnotherFormIsRefused) {
  EXPECT_EQ(refusal_of_description(nlohmann::json::array({1})), "not an object");
  EXPECT_EQ(refusal_of_description({{"training", "yes"}}), "training: neither true nor false");
  EXPECT_EQ(refusal_of_description({{"baked", 5}}), "baked: not a list of names");
  EXPECT_EQ(refusal_of_description({{"inputs", "x"}}), "inputs: not a list");
  EXPECT_EQ(refusal_of_description({{"inputs", nlohmann::json::array({3})}}), "inputs/0: not an object");
}

TEST(ModelInput, HasTypeShapeAndRange) {
  const ModelInput tokens = parse_model_input("int64:1x5:-3..1000");
  EXPECT_EQ(tokens.type, "int64");
  EXPECT_EQ(tokens.shape, (std::vector<int64_t>{1, 5}));
  EXPECT_EQ(tokens.range, (std::pair<int64_t, int64_t>{-3, 1000}));
  const ModelInput picture = parse_model_input("float32:1x3x224x224");
  EXPECT_EQ(picture.shape, (std::vector<int64_t>{1, 3, 224, 224}));
  EXPECT_FALSE(picture.range);
  EXPECT_EQ(parse_model_input("uint8:8:0..256").range->second, 256);
  EXPECT_EQ(parse_model_input("bool:8:0..2").range->second, 2);
}

TEST(ModelInput, IsNotGuessed) {
  for (const char* sizes : {"8X8", "8x", "x8", "8xx8", "1_0x8", "8.0x8", " 8x8", "8x8 ", "8x 8", "0x8",
                            "-1x8", "+8x8", "0x10x8", "1e3x8", "8,8", "", "9223372036854775808"})
    EXPECT_NE(refusal_of(std::string("float32:") + sizes).find("not a whole number from 1"),
              std::string::npos)
        << sizes;
  for (const char* range :
       {"1..", "..2", "1.2", "0x1..2", "1...2", "a..b", " 1..2", "1..2 ", "1..99999999999999999999"})
    EXPECT_NE(refusal_of(std::string("int64:8:") + range).find("LOW..HIGH"), std::string::npos) << range;
  for (const char* form : {"", "float32", "float32:8:0..2:3"})
    EXPECT_NE(refusal_of(form).find("not the description of an input"), std::string::npos) << form;
  for (const char* type : {"Float32", " float32", "float", "complex64", ""})
    EXPECT_NE(refusal_of(std::string(type) + ":8").find("type of the input is not known"), std::string::npos);
}

TEST(ModelInput, HasSizesAndARangeThatItsTypeCanHold) {
  EXPECT_NE(refusal_of("float32:4294967296x4294967296").find("2^60"), std::string::npos);
  EXPECT_NE(refusal_of("float32:1152921504606846977").find("2^60"), std::string::npos);
  std::string many = "float32:1";
  for (int i = 0; i < 64; ++i) many += "x1";
  EXPECT_NE(refusal_of(many).find("dimension limit"), std::string::npos);
  EXPECT_NE(refusal_of("int64:8:5..5").find("range is empty"), std::string::npos);
  EXPECT_NE(refusal_of("int64:8:5..-5").find("range is empty"), std::string::npos);
  EXPECT_NE(refusal_of("uint8:8:0..257").find("from 0 to 255"), std::string::npos);
  EXPECT_NE(refusal_of("bool:8:-1..2").find("from 0 to 1"), std::string::npos);
  EXPECT_NE(refusal_of("int32:8:0..2147483649").find("to 2147483647"), std::string::npos);
  EXPECT_NE(refusal_of("float32:8:0..2").find("only inputs of integers"), std::string::npos);
}

}  // namespace
}  // namespace kjoule
