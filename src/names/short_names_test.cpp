#include "names/short_names.hpp"

#include <gtest/gtest.h>

#include <set>

#include "names/distinction.hpp"

namespace kjoule {
namespace {

using Names = std::vector<std::string>;

Names short_names_of(const Names& names) {
  const ShortNames short_names(names);
  Names list;
  for (const std::string& name : names) list.push_back(short_names.of(name));
  return list;
}

TEST(ShortNames, DistinguishWhereKernelsAreDistinct) {
  EXPECT_EQ(
      short_names_of({"nvjet_sm90_tst_64x64_64x13_1x2_h_bz_NNT", "nvjet_sm90_tst_64x64_64x13_2x1_v_bz_NNT"}),
      (Names{"nvjet GEMM 64x64x64 bf16 NNT [1x2]", "nvjet GEMM 64x64x64 bf16 NNT [2x1]"}));
  EXPECT_EQ(short_names_of({"void f<float, 4, 1>(float*)", "void f<float, 8, 1>(float*)"}),
            (Names{"f [4]", "f [8]"}));
  EXPECT_EQ(short_names_of({"a::f(int)", "b::f(int)", "f(int)"}), (Names{"f [a]", "f [b]", "f"}));
  EXPECT_EQ(short_names_of({"f(int*, a::T)", "f(float*, a::T)"}), (Names{"f [int*]", "f [float*]"}));
}

TEST(ShortNames, ANameAloneOrTwiceNeedsNoDistinction) {
  EXPECT_EQ(short_names_of({"void f<4>(float*)", "void f<4>(float*)", "void g<4>(float*)"}),
            (Names{"f", "f", "g"}));
  EXPECT_EQ(short_names_of({"_Z1fPf", "f(float*)"}), (Names{"f", "f"})) << "one kernel, mangled and not";
}

TEST(ShortNames, DoNotDependOnTheOrderOfATable) {
  const std::string a = "void f<" + std::string(50, 'a') + ">()",
                    b = "void f<" + std::string(50, 'b') + ">()";
  EXPECT_EQ(short_names_of({a, b}), (Names{"f #1", "f #2"}));
  EXPECT_EQ(short_names_of({b, a}), (Names{"f #2", "f #1"}));
}

TEST(ShortNames, AreAtMostSixtyBytesAndStayDistinct) {
  Names names;
  for (int i = 0; i < 200; ++i) {
    names.push_back(std::string(80, 'k') + std::to_string(i) + std::string(80, 'k'));
    names.push_back("void " + std::string(80, 'f') + "<" + std::to_string(i) + ">()");
    names.push_back("f #" + std::to_string(i));
    names.push_back("void f<" + std::string(40 + i, 'x') + ">()");
  }
  const Names list = short_names_of(names);
  EXPECT_EQ(std::set<std::string>(list.begin(), list.end()).size(), names.size());
  for (const std::string& name : list) EXPECT_LE(name.size(), kShortNameLength) << name;
}

TEST(ShortNames, OfAnyLengthStayDistinct) {
  const Names names = {"nvjet_sm90_tst_64x64_64x13_1x2_h_bz_NNT", "nvjet_sm90_tst_64x64_64x13_2x1_v_bz_NNT",
                       "void f<" + std::string(14, 'a') + ">()", "void f<" + std::string(14, 'b') + ">()"};
  const ShortNames short_names(names, 24);
  EXPECT_EQ(short_names.of(names[0]), "nvjet GEMM 6.. NNT [1x2]");
  EXPECT_EQ(short_names.of(names[1]), "nvjet GEMM 6.. NNT [2x1]");
  EXPECT_EQ(short_names.of(names[2]), "f #1") << "what distinguishes them is too long";
  EXPECT_EQ(short_names.of(names[3]), "f #2");
}

TEST(ShortNames, AnUnknownNameStaysAsItIs) {
  EXPECT_EQ(ShortNames().of("f(int)"), "f(int)");
}

TEST(ShortNames, LongNamesAreCutInTheirMiddle) {
  EXPECT_EQ(cut_in_middle("triton_red_fused_something_to_copy_prepare_softmax_online_view_0", 40),
            "triton_red_fused_something_t..ine_view_0");
  EXPECT_EQ(cut_in_middle("short", 40), "short");
  const std::string umlauts = "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC";
  for (size_t length = 2; length < umlauts.size(); ++length) {
    const std::string cut = cut_in_middle(umlauts, length);
    EXPECT_LE(cut.size(), length);
    EXPECT_EQ((cut.size() - 2) % 2, 0U) << "characters are whole";
  }
}

TEST(Distinctions, OfOneKernelIsEmpty) {
  EXPECT_EQ(distinctions({PlainName("f(int)")}, 28), Names{""});
}

}  // namespace
}  // namespace kjoule
