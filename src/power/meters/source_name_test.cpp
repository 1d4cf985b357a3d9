#include "power/meters/source_name.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

TEST(SourceName, HasSettings) {
  const SourceName smi = read_source_name("nvidia-smi:interval=0.1,gpu=1,gpu=GPU-7", {});
  EXPECT_EQ(smi.name, "nvidia-smi");
  EXPECT_EQ(smi.options.interval_s, 0.1);
  EXPECT_EQ(smi.options.gpus, (std::vector<std::string>{"1", "GPU-7"}));
  const SourceName wall = read_source_name("wattsup:/dev/ttyUSB0,/dev/ttyUSB1,interval=0.5,accuracy=2%", {});
  EXPECT_EQ(wall.options.ports, (std::vector<std::string>{"/dev/ttyUSB0", "/dev/ttyUSB1"}));
  EXPECT_EQ(wall.options.wattsup_interval_s, 0.5);
  EXPECT_DOUBLE_EQ(wall.options.accuracy.value(), 0.02);
  EXPECT_EQ(read_source_name("wattsup", {.ports = {"a"}}).options.ports, std::vector<std::string>{"a"});
}

TEST(SourceName, OfAFileMayContainCommas) {
  const SourceName csv =
      read_source_name("csv:a,b=c.csv,column=PSU 1 [W],column=x,time-column=when,offset=-3.5", {});
  EXPECT_EQ(csv.options.csv, "a,b=c.csv");
  EXPECT_EQ(csv.options.csv_columns, (std::vector<std::string>{"PSU 1 [W]", "x"}));
  EXPECT_EQ(csv.options.csv_time, "when");
  EXPECT_EQ(csv.options.csv_offset_s, -3.5);
}

TEST(SourceName, IsRefusedWithTheReason) {
  const auto told = [](const std::string& text) {
    try {
      read_source_name(text, {});
    } catch (const Error& error) {
      return error.line();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(told("nvml:interval=1"), "nvml:interval=1: no such setting; the settings of nvml are gpu");
  EXPECT_EQ(told("rapl:x=1"), "rapl:x=1: no such setting; omit it: rapl has no settings");
  EXPECT_EQ(told("nvidia-smi:interval=fast"),
            "fast: not a number of seconds up to 1e8; give for example interval=0.1");
  EXPECT_EQ(told("wattsup:interval=0"), "0: not a number of seconds above 0; give for example interval=1");
  EXPECT_EQ(told("csv:"), "csv: no file is named; name the file: csv:power.csv");
  EXPECT_EQ(told("csv:a.csv,accuracy=much"), "much: not an accuracy; give for example accuracy=1.5%");
}

}  // namespace
}  // namespace kjoule
