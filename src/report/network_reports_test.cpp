#include "report/network_reports.hpp"

#include <gtest/gtest.h>

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
  EXPECT_NE(network_csv({network}).find("program,step,range,,,1,0,,,,1,"), std::string::npos)
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

}  // namespace
}  // namespace kjoule
