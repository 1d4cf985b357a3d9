#include "names/name_rules.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "base/error.hpp"
#include "short_names_test_text.hpp"

namespace kjoule {
namespace {

std::string shortened_by(const char* rules, const std::string& name) {
  return NameRules(rules, "mine.jsonl").shorten(PlainName(name));
}

std::string refused_rule(const char* line) {
  try {
    read_name_rule(line, "mine.jsonl:1");
  } catch (const Error& error) {
    return error.line();
  }
  return "accepted";
}

/// Calls `check` with each pair of short and full name of the table.
template <class Check>
size_t for_each_expected(Check check) {
  size_t number = 0;
  std::string_view text = kExpectedShortNames;
  for (; !text.empty(); ++number) {
    const size_t tab = text.find('\t'), end = text.find('\n');
    check(std::string(text.substr(0, tab)), std::string(text.substr(tab + 1, end - tab - 1)));
    text.remove_prefix(end + 1);
  }
  return number;
}

TEST(NameRules, ShortenRealNamesAsExpected) {
  const size_t number = for_each_expected([](const std::string& expected, const std::string& full) {
    EXPECT_EQ(NameRules::bundled().shorten(PlainName(full)), expected) << full;
  });
  EXPECT_GE(number, 50U);
}

TEST(NameRules, AProgramsOwnKernelIsCalledByItsFunction) {
  const auto shorten = [](const char* name) { return NameRules::bundled().shorten(PlainName(name)); };
  EXPECT_EQ(shorten("mine::scale<float, 4>(float*, int)"), "scale");
  EXPECT_EQ(shorten("void reduce_kernel<512>(float*)"), "reduce_kernel") << "not libtorch's";
  EXPECT_EQ(shorten("input_reduce_fusion_3"), "input_reduce_fusion_3");
  EXPECT_EQ(shorten("void f<1>()"), "f");
  EXPECT_EQ(shorten(""), "");
}

TEST(NameRules, TheFirstRuleThatFitsDecides) {
  EXPECT_EQ(shortened_by(R"({"match": "f<${t}>", "short": "first ${t}"}
                            {"match": "f<*", "short": "second"})",
                         "void f<int>()"),
            "first int");
  EXPECT_EQ(shortened_by(R"({"function": "a::*", "match": "f<*", "short": "of a"})", "void b::f<int>()"),
            "f");
  EXPECT_EQ(shortened_by(R"({"function": "a::*", "short": "of a"})", "void a::f<int>()"), "of a");
}

TEST(NameRules, GroupsShortenParts) {
  constexpr const char* kRules = R"({"match": "f<${x}>", "short": "${x:functor}  (f) "}
                                    {"of": "functor", "match": "not<${x}>", "short": "not ${x:functor}"}
                                    {"of": "functor", "match": "AddFunctor", "short": "add"})";
  EXPECT_EQ(shortened_by(kRules, "void f<a::not<b::not<AddFunctor> > >()"), "not not add (f)");
  EXPECT_EQ(shortened_by(kRules, "void f<Other>()"), "Other (f)");
  EXPECT_EQ(shortened_by(R"({"match": "${x}", "short": "${x:lower} ${all:lower}"})", "MaxNan()"),
            "max_nan max_nan");
}

TEST(NameRules, ARuleThatRefersToItselfEnds) {
  EXPECT_EQ(shortened_by(R"({"match": "*", "short": "${all:kernel}"})", "void f<int>()"), "f");
}

TEST(NameRules, AGroupWithoutRulesIsRefused) {
  try {
    NameRules(R"({"match": "${x}", "short": "${x:lwer}"})", "mine.jsonl");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.line(),
              "mine.jsonl: a rule refers to the group \"lwer\", to which no rule belongs; correct the name "
              "of the group, or add a rule "
              "with \"of\": \"GROUP\"");
  }
}

TEST(NameRules, VeryLongNamesAreNotExamined) {
  const std::string name = "void f<" + std::string(1'000'000, '<');
  EXPECT_EQ(NameRules::bundled().shorten(PlainName(name)), "f");
}

TEST(NameRules, RefuseWhatIsNoRule) {
  EXPECT_EQ(refused_rule("[1"),
            "mine.jsonl:1: the rule is not a JSON object whose values are texts; docs/reference/formats.md "
            "describes the "
            "rules for short names");
  const auto refused = [](const char* line, const char* cause) {
    EXPECT_NE(refused_rule(line).find(std::string("mine.jsonl:1: ") + cause), std::string::npos)
        << refused_rule(line);
  };
  refused("[]", "the rule is not a JSON object");
  refused(R"({"match": "f"})", "the rule has no \"short\"");
  refused(R"({"short": "f"})", "the rule has neither \"match\" nor \"function\"");
  refused(R"({"match": 7, "short": "f"})", "the rule is not a JSON object whose values are texts");
  refused(R"({"match": "f", "short": "f", "tier": 2})", "\"tier\" is not a known key of a rule");
  refused(R"({"match": "f${x", "short": "f"})",
          "\"match\" or \"function\" contains ${, %{ or @{ without a closing }");
  refused(R"({"match": "f", "short": "${x"})", "\"short\" contains ${ without a closing }");
}

}  // namespace
}  // namespace kjoule
