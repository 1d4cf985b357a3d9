#include "report/network_reports.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "layers/stored_network.hpp"

namespace kjoule {
namespace {

NetworkResult with_one_layer() {
  NetworkResult network;
  network.name = "program";
  LayerResult& layer = network.layers.emplace_back();
  layer.name = "step";
  layer.kind = "range";
  layer.count = 1;
  layer.each_s = Interval{1e-3, 1e-5};
  return network;
}

TEST(NetworkReports, WorkThatIsNotKnownIsNoZero) {
  const NetworkResult network = with_one_layer();
  EXPECT_EQ(network_text(network).find("parameters"), std::string::npos);
  const auto json = network_json(network);
  for (const char* key : {"parameters", "multiply_adds"}) EXPECT_TRUE(json.at(key).is_null()) << key;
  for (const char* key : {"parameters", "multiply_adds", "bytes"})
    EXPECT_TRUE(json.at("layers").at(0).at(key).is_null()) << key;
  EXPECT_NE(network_csv({network}).find("program,,,step,range,,,1,0,,,,1,"), std::string::npos)
      << network_csv({network});
}

TEST(NetworkReports, KnownWorkIsTold) {
  NetworkResult network = with_one_layer();
  network.parameters = 0;
  network.multiply_adds = 2'000'000;
  network.layers[0].multiply_adds = 2'000'000;
  network.layers[0].parameters = 0;
  EXPECT_NE(network_text(network).find("0.00 M parameters, 0.002 G multiply-adds"), std::string::npos);
  EXPECT_EQ(network_json(network).at("layers").at(0).at("parameters"), 0);
  EXPECT_DOUBLE_EQ(network_json(network).at("layers").at(0).at("tflop_per_s").get<double>(), 0.004);
}

TEST(NetworkReports, JoulesStandWithTheirSpread) {
  NetworkResult network = with_one_layer();
  network.layers[0].each_j = Interval{0.25, 0.0625};
  EXPECT_NE(network_text(network).find("1.0000    1.0 %   250    0.2500   25.0 %"), std::string::npos)
      << network_text(network);
}

std::string without_line_ends(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// A layer that takes 1 ms, on a device of 1 TFLOP/s (8 for convolutions) and 100 GB/s.
NetworkResult on_a_device(const std::string& kind, int64_t multiply_adds, int64_t bytes) {
  NetworkResult network = with_one_layer();
  network.roof = Roof{1e12, 100e9, 8e12, 50'000'000};
  network.layers[0].kind = kind;
  network.layers[0].multiply_adds = multiply_adds;
  network.layers[0].bytes = bytes;
  return network;
}

TEST(NetworkReports, WorkAboveTheRoofIsAFindingAndNoShare) {
  struct Case {
    const char* kind;
    int64_t multiply_adds, bytes;
    double percent;
    const char* work;
    const char* reason;
  };
  for (const auto& [kind, multiply_adds, bytes, percent, work, reason] : std::vector<Case>{
           {"matmul", 1'250'000'000, 100, 250, "(2.5 GFLOP in 1.0000 ms, 2.5 x",
            "FLOPs are counted too high"},
           {"conv", 5'000'000'000, 100, 125, "(10 GFLOP in 1.0000 ms, 1.2 x", "(Winograd, FFT)"},
           {"relu", 0, 40'000'000 * 3, 120, "(120 MB in 1.0000 ms, 1.2 x",
            "a part of the data was in a cache"}}) {
    const NetworkResult network = on_a_device(kind, multiply_adds, bytes);
    const auto json = network_json(network).at("layers").at(0);
    EXPECT_TRUE(json.at("roofline_percent").is_null()) << kind;
    EXPECT_NEAR(json.at("above_roof").at("percent").get<double>(), percent, 1e-6) << kind;
    const std::string text = without_line_ends(network_text(network));
    EXPECT_NE(text.find(": step " + std::string(work)), std::string::npos) << text;
    EXPECT_NE(text.find(reason), std::string::npos) << text;
    EXPECT_NE(text.find("  >100 "), std::string::npos) << text;
  }
}

TEST(NetworkReports, DataThatFitIntoTheCacheAreNamed) {
  NetworkResult network = on_a_device("relu", 0, 40'000'000);
  network.layers[0].each_s = Interval{2e-4, 1e-6};
  EXPECT_NE(without_line_ends(network_text(network))
                .find("above the roof: the data fit into the cache of 50.0 MB, which is faster than the "
                      "memory: step (40 MB in 0.2000 ms, 2.0 x the roof)"),
            std::string::npos)
      << network_text(network);
}

TEST(NetworkReports, ConvolutionsHaveTheRoofOfTheirArithmetic) {
  const auto percent = [](const std::string& kind) {
    return network_json(on_a_device(kind, 250'000'000, 100)).at("layers").at(0).at("roofline_percent");
  };
  EXPECT_NEAR(percent("matmul").get<double>(), 50, 1e-9);
  EXPECT_NEAR(percent("conv").get<double>(), 6.25, 1e-9);
  const NetworkResult network = on_a_device("conv", 250'000'000, 100);
  EXPECT_EQ(network_text(network).find("above the roof"), std::string::npos);
  EXPECT_FALSE(network_json(network).at("layers").at(0).contains("above_roof"));
}

TEST(NetworkReports, ReportsAreReadBack) {
  NetworkResult network = on_a_device("conv", 5'000'000'000, 100);
  network.network = "net";
  network.dtype = "float16";
  network.idle_w = 75;
  network.against_whole = Interval{0.0625, 0.03125};
  network.own_iterations = OwnIterationCount{1, 3, 10.0};
  network.check = NetworkCheck{"model.pt", Interval{2e-3, 5e-4}, Interval{0.5, 0.25}};
  network.run = {{"kjoule", "1.2.3"}};
  LayerResult& layer = network.layers[0];
  layer.each_j = Interval{0.25, 0.0625};
  layer.shape = "8x3";
  layer.isolated["same"] = {Interval{2e-3, 1e-3}, Interval{0.5, 0.25}, 20, ""};
  network.layers.emplace_back().name = "failed";
  network.layers.back().error = "no kernel";
  const TemporaryFolder folder;
  const auto json = network_json(network);
  write_json(folder / "layers.json", json);
  EXPECT_EQ(network_json(read_network_result(folder / "layers.json")).dump(1), json.dump(1));
}

}  // namespace
}  // namespace kjoule
