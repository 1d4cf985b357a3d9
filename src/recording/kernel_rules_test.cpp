#include "recording/kernel_rules.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "base/process/temporary_folder.hpp"
#include "kernel_rules_test_text.hpp"

namespace kjoule {
namespace {

/// A file of rules as a user has it.
class RuleFile {
 public:
  explicit RuleFile(const std::string& text) { std::ofstream(path()) << text; }
  std::string path() const { return (folder_.path() / "mine.jsonl").string(); }
  KernelRules rules() const { return KernelRules::with(path()); }
  /// The one line that kjoule refuses the file with.
  std::string refusal() const {
    try {
      rules();
    } catch (const Error& error) {
      return error.line().substr(error.line().find("mine.jsonl"));
    }
    return "taken";
  }

 private:
  TemporaryFolder folder_;
};

std::string refusal_of(const std::string& text) {
  return RuleFile(text).refusal();
}

TEST(KernelRules, KnowRealKernels) {
  KernelRules rules;
  std::istringstream lines(kRealNames);
  std::string tier, family, category, dtype, name;
  std::getline(lines, name);  // the header
  size_t rows = 0;
  for (; std::getline(lines, tier, '\t'); ++rows) {
    std::getline(lines, family, '\t');
    std::getline(lines, category, '\t');
    std::getline(lines, dtype, '\t');
    std::getline(lines, name);
    const KernelClass& is = rules.classify(name);
    EXPECT_EQ(std::to_string(static_cast<int>(is.tier)), tier) << name;
    EXPECT_EQ(is.family.empty() ? "-" : is.family, family) << name;
    EXPECT_EQ(is.category, category) << name;
    EXPECT_EQ(is.dtype.empty() ? "-" : is.dtype, dtype) << name;
  }
  EXPECT_GE(rows, 60u);
}

TEST(KernelRules, WhatAProgramCompiledIsUnknownHoweverItIsCalled) {
  KernelRules rules;
  for (const char* name :
       {"my_kernel(float*)", "void my_gemm<float>(float const*, int)",
        "void mine<c10::Half>(c10::Half*, int)", "void mine<at::native::FillFunctor<float> >(int)",
        "cudnn_like::nothing", "my_nccl(int)", "", "(", "<<<", "void ", "(anonymous namespace)::mine(int)",
        "_Znonsense"})
    EXPECT_EQ(rules.find(name), nullptr) << name;
}

TEST(KernelRules, OwnRulesComeFirst) {
  KernelRules rules =
      RuleFile(
          "{\"function\": \"mine::gemm_*\", \"tier\": 3, \"family\": \"mine\", \"category\": \"gemm\"}\n\n"
          "{\"name\": [\"*FillFunctor*\", \"other*\"], \"tier\": \"unknown\", \"dtype\": \"int4\"}\r\n"
          "{\"family\": \"mine\", \"types\": {\"h\": \"float16\", \"float\": \"float32\"}}")
          .rules();
  const KernelClass own = rules.classify("void mine::gemm_fast<h, float>(float*)");
  EXPECT_EQ(own.tier, Tier::framework);
  EXPECT_EQ(own.family + " " + own.category + " " + own.dtype, "mine gemm float16");
  const KernelClass fill =
      rules.classify("void at::native::vectorized_elementwise_kernel<4, FillFunctor<int>>(int)");
  EXPECT_EQ(fill.tier, Tier::unknown);
  EXPECT_EQ(fill.category + " " + fill.dtype, "unknown int4");
  EXPECT_EQ(rules.classify("nvjet_hsh_64x8").family, "cublaslt");
}

TEST(KernelRules, AllPartsOfARuleMustFit) {
  KernelRules rules = RuleFile(R"({"function": "f", "name": "*<int>*", "tier": 2})"
                               "\n"
                               R"({"operator": "my::op*", "tier": 3})")
                          .rules();
  EXPECT_EQ(rules.classify("void f<int>(int)").tier, Tier::vendor_library);
  EXPECT_EQ(rules.find("void f<long>(int)"), nullptr);
  EXPECT_EQ(rules.find("void g<int>(int)"), nullptr);
  EXPECT_EQ(rules.classify("my::op_.out").tier, Tier::framework);
  EXPECT_EQ(rules.find("my::op(int)"), nullptr) << "a C++ function, no operator";
}

TEST(KernelRules, ANamesOwnClassStaysWhatItWas) {
  KernelRules rules;
  const KernelClass first = rules.classify("ampere_sgemm_128x64_tn");
  for (int i = 0; i < 1000; ++i) rules.classify("kernel_" + std::to_string(i));
  EXPECT_EQ(rules.classify("ampere_sgemm_128x64_tn").dtype, first.dtype);
}

TEST(KernelRules, WhatANameIsIsWorkedOutOnce) {
  KernelRules rules;
  EXPECT_EQ(rules.find(std::string(10'000, '<')), nullptr);
  const KernelClass* first = rules.find("ampere_sgemm_128x64_tn");
  ASSERT_NE(first, nullptr);
  for (int i = 0; i < 5'000; ++i) rules.classify("kernel_" + std::to_string(i));
  EXPECT_EQ(rules.find("ampere_sgemm_128x64_tn"), first) << "kept, however many others there were";
}

TEST(KernelRules, RefusesWhatIsNoRule) {
  EXPECT_EQ(refusal_of(" \n"),
            "mine.jsonl: contains no rule; write one rule per line (docs/reference/formats.md)");
  EXPECT_EQ(refusal_of("{\"function\": \"f\", \"tier\": 2}\n{\"function\": \"g\", "),
            "mine.jsonl:2: not a complete JSON object; write each rule on one line: {\"function\": .., "
            "\"tier\": ..}");
  EXPECT_EQ(
      refusal_of("[]"),
      "mine.jsonl:1: the line is not a JSON object; write each rule as {\"function\": .., \"tier\": ..}");
  EXPECT_NE(refusal_of("\xff\xfe{}").find("mine.jsonl:1: not a complete JSON object"), std::string::npos);
  EXPECT_NE(refusal_of(std::string(100'000, '[')).find("nesting limit: 64 levels"), std::string::npos);
}

TEST(KernelRules, RefusesRulesThatSayTooLittleOrWrongThings) {
  const auto refused = [](const std::string& rule, const std::string& why) {
    EXPECT_NE(refusal_of("\n" + rule).find("mine.jsonl:2: " + why), std::string::npos)
        << refusal_of("\n" + rule);
  };
  refused(R"({"function": "f"})", "the rule has no \"tier\"");
  refused(R"({"tier": 2})", "the rule does not name the kernels that it classifies; add \"function\"");
  refused(R"({"function": "f", "tier": 4})", "\"tier\" is 4; set it to 1, 2, 3 or");
  refused(R"({"function": "f", "tier": 2.5})", "\"tier\" is 2.5");
  refused(R"({"function": "f", "tier": "two"})", "\"tier\" is \"two\"");
  refused(R"({"function": "f", "tier": -1e400})", "not a complete JSON object");
  refused(R"({"function": "", "tier": 2})", "\"function\" is empty; give it a text");
  refused(R"({"function": ["f", 7], "tier": 2})", "\"function\" is not a text");
  refused(R"({"function": [], "tier": 2})", "\"function\" is an empty list");
  refused(R"({"function": "f", "tier": 2, "tier": 3})", "\"tier\" is given twice");
  refused(R"({"function": "f", "tier": 2, "categry": "gemm"})",
          "\"categry\" is not a key of a rule; use only");
  refused(R"({"function": "f", "tier": 2, "category": "gem"})",
          "unknown category \"gem\"; use one of gemm, ");
  refused(R"({"types": {"f": "float32"}})", "the rule has \"types\", but no \"family\"");
  refused(R"({"family": "mine", "types": {}})", "\"types\" is empty; add a pair");
  refused(R"({"family": "mine", "types": ["f"]})", "\"types\" is not an object; write it as");
  refused(R"({"family": "mine", "types": {"f": 32}})", "\"types\" is not a text");
  refused(R"({"family": "mine", "types": {"": "int8"}})", "\"types\" contains an empty word");
}

TEST(KernelName, FunctionIn) {
  EXPECT_EQ(function_in("void at::native::reduce_kernel<512, A<B>, (C)0>(int, D<E>)"),
            "at::native::reduce_kernel");
  EXPECT_EQ(function_in("void at::native::(anonymous namespace)::f<(anonymous namespace)::G>(int)"),
            "at::native::(anonymous namespace)::f");
  EXPECT_EQ(function_in("std::enable_if<!(false), void>::type internal::gemvx::kernel<int>(P)"),
            "internal::gemvx::kernel");
  EXPECT_EQ(function_in("void a::B<int>::c<long>(int)"), "a::B::c");
  EXPECT_EQ(function_in("void at::native::elementwise_kernel<128, 4, at::na"),
            "at::native::elementwise_kernel");
  EXPECT_EQ(function_in("nvjet_hsh_64x8"), "nvjet_hsh_64x8");
  EXPECT_EQ(function_in(")>}f("), "f");
}

TEST(KernelName, PatternsFitWholeNames) {
  const auto matches = [](const char* pattern, const char* name) {
    return NamePattern(pattern).matches(name);
  };
  EXPECT_TRUE(matches("gemm", "gemm"));
  EXPECT_FALSE(matches("gemm", "my_gemm"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*b*c", "abbc"));
  EXPECT_TRUE(matches("a*b*c", "a_b_c_c"));
  EXPECT_FALSE(matches("a*b*c", "acb"));
  EXPECT_FALSE(matches("ab*ba", "aba"));
  EXPECT_TRUE(matches("float*", "float*")) << "a star stands for itself, too";
}

TEST(KernelName, WordsHaveNoLettersOrDigitsBeside) {
  EXPECT_EQ(find_word("sm80_f16f16_f16", "f16"), 12u);
  EXPECT_EQ(find_word("bf16_f16f16", "f16*"), 5u);
  EXPECT_EQ(find_word("bf16", "f16"), std::string_view::npos);
  EXPECT_EQ(find_word("f<c10::Half>", "c10::Half"), 2u);
}

}  // namespace
}  // namespace kjoule
