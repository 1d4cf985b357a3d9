#include "report/first_screen.hpp"

#include "report/comparison_energy.hpp"
#include "report/kernel_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace kjoule {
namespace {

KernelResult kernel(const std::string& name, size_t count, double total_us) {
  KernelResult result;
  result.name = name;
  result.count = count;
  result.in_context_s = Interval{total_us * 1e-6, 0.1e-6};
  return result;
}

Comparison measured() {
  Comparison c;
  c.run = {{"title", "server on NVIDIA H100"}};
  c.iteration =
      "130 launches, which had come 998 times in a row, every 6.31 ms, after a pause of the host of 5.9 ms";
  c.program_iterations.run_s = {6310e-6};
  c.times.whole_s = {300e-6, 0.4e-6};
  c.times.sum_s = {301e-6, 1.5e-6};
  c.judgement = {Verdict::adds_up, "sum - whole = +1.00 us (+0.33 +- 0.50 %)", 0.0083};
  for (int i = 0; i < 9; ++i)
    c.kernels.push_back(kernel("void cutlass::Kernel<" + std::string(100, 'a') + ">(Params)", 10, 60 - i));
  return c;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// All parts of the screen, in the order in which they are printed.
std::string first_screen(const Comparison& c, size_t top, NameStyle style = NameStyle::shortened) {
  return times_screen(c) + verdict_screen(c) + energy_screen(c) + notes_screen(c) +
         largest_kernels(c, top, style);
}

TEST(FirstScreen, FitsThirtyLinesOfEightyCharacters) {
  Comparison c = measured();
  c.findings = {std::string(30, 'x') + " " + std::string(60, 'y'), "b", "c", "d", "e"};
  EnergyResult& energy = c.energy.emplace();
  energy.estimate.whole_j = energy.estimate.sum_j = {0.1, 0.001};
  energy.estimate.whole_w = energy.estimate.sum_w = {331, 10};
  energy.idle_w = 120;
  energy.estimate.whole_s = {330e-6, 0};
  energy.own_j = Interval{1.2, 0.01};
  energy.own_w = Interval{190, 2};
  energy.stopped = "precision";
  energy.requested_within = 0.05;
  energy.meters = {{{{"source", "nvml-energy-counter"}}, Interval{0.1, 0.001}}};
  for (KernelResult& one : c.kernels) {
    one.energy.emplace();
    one.energy->joules = {1e-3, 1e-5};
  }
  const std::vector<std::string> lines = lines_of(first_screen(c, 5));
  EXPECT_LE(lines.size(), 30u) << first_screen(c, 5);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80u) << line;
}

TEST(FirstScreen, SaysWhatAReaderAsksFirst) {
  const std::string text = first_screen(measured(), 5);
  for (const char* said :
       {"server on NVIDIA H100", "90 launches of 9 kernels: 130 launches, which had come 998 times",
        "as the program runs it", "6310.0", "whole: its launches replayed without gaps", "300.0  +- 0.4 us",
        "sum: kernels' times x counts", "301.0  +- 1.5 us",
        "adds up within 0.83 %: sum - whole = +1.00 us (+0.33 +- 0.50 %)",
        "launch gaps: 6010.0 us (95 %) of the program's iteration", "and 4 more (--top N or -v)"})
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
}

TEST(FirstScreen, ShowsEnergyAsRunAndAboveIdlePower) {
  Comparison c = measured();
  EnergyResult& energy = c.energy.emplace();
  energy.meters = {{{{"source", "nvml-energy-counter"}}, Interval{0.1, 0.001}}};
  energy.estimate.whole_j = energy.estimate.sum_j = {0.1, 0.001};
  energy.estimate.whole_w = energy.estimate.sum_w = {333, 10};
  energy.estimate.whole_s = {300e-6, 0};
  energy.own_j = Interval{1.2, 0.01};
  energy.own_w = Interval{190, 2};
  energy.idle_w = 100;
  const std::string text = energy_screen(c);
  for (const char* said : {"as the program runs it                           1200.00  +- 10 mJ         190",
                           "above idle power (100 W): 568.42 mJ as the program runs it, 70.00 mJ whole"})
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
}

TEST(FirstScreen, HasNoIntervalOfEnergyThatWasReadOnce) {
  Comparison c = measured();
  EnergyResult& energy = c.energy.emplace();
  energy.meters = {{{{"source", "nvml-energy-counter"}}, Interval{0.1, 0.001}}};
  const double unknown = std::numeric_limits<double>::infinity();
  energy.estimate.whole_j = energy.estimate.sum_j = {0.1, unknown};
  energy.estimate.whole_w = energy.estimate.sum_w = {333, unknown};
  energy.estimate.whole_s = {300e-6, 0};
  for (const std::string& text : {energy_screen(c), energy_text(c)}) {
    EXPECT_NE(text.find("+- unknown"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf "), std::string::npos) << text;
  }
  EXPECT_NE(energy_screen(c).find("energy inconclusive: too little was measured"), std::string::npos);
}

TEST(FirstScreen, NamesTheCommandThatFindsTheRateOfAnUnknownSensor) {
  Comparison c = measured();
  EnergyResult& energy = c.energy.emplace();
  energy.estimate.whole_j = energy.estimate.sum_j = {0.1, 0.001};
  energy.estimate.whole_w = energy.estimate.sum_w = {333, 10};
  energy.estimate.whole_s = {300e-6, 0};
  const auto said = [&](nlohmann::json facts) {
    energy.meters = {{std::move(facts), Interval{0.1, 0.001}}};
    return energy_screen(c).find("rate is not known: run kjoule power probe\n") != std::string::npos;
  };
  EXPECT_TRUE(said({{"source", "nvml"}, {"scope", "GPU"}, {"sensor_rate_from", ""}}));
  EXPECT_FALSE(said({{"source", "nvml"}, {"scope", "GPU"}, {"sensor_rate_from", "measured"}}));
  EXPECT_FALSE(said({{"source", "nvml"}, {"scope", "GPU"}})) << "of an older kjoule";
  EXPECT_FALSE(said({{"source", "csv"}, {"scope", "GPU"}, {"sensor_rate_from", ""}}));
  EXPECT_FALSE(said({{"source", "rapl"}, {"scope", "CPU"}, {"sensor_rate_from", ""}}));
}

TEST(FirstScreen, ShowsDistinctShortNamesAndFullOnesOnRequest) {
  Comparison c = measured();
  const std::string long_name = c.kernels[2].name;
  c.kernels[0].name = "nvjet_sm90_tst_64x64_64x13_1x2_h_bz_NNT";
  c.kernels[1].name = "nvjet_sm90_tst_64x64_64x13_2x1_v_bz_NNT";
  const std::string text = first_screen(c, 5);
  for (const char* name : {"nvjet GEMM 64x64x..16 NNT [1x2]", "nvjet GEMM 64x64x..16 NNT [2x1]", "Kernel "})
    EXPECT_NE(text.find(name), std::string::npos) << name << "\n" << text;
  EXPECT_EQ(text.find(long_name), std::string::npos);
  EXPECT_NE(first_screen(c, 5, NameStyle::full).find("  " + long_name + "\n"), std::string::npos);
}

TEST(FirstScreen, HasNoNumberForWhatWasNotMeasured) {
  Comparison c = measured();
  c.program_iterations.run_s.clear();
  const std::string text = first_screen(c, 5);
  EXPECT_EQ(text.find("as the program runs it"), std::string::npos);
  EXPECT_EQ(text.find("launch gaps"), std::string::npos);
  EXPECT_EQ(text.find("mJ"), std::string::npos);
  c.energy.emplace().missing = "no meter";
  EXPECT_NE(first_screen(c, 5).find("energy: not measured: no meter"), std::string::npos);
}

}  // namespace
}  // namespace kjoule
