#include "power/logs/formats/text_format.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "power/logs/formats/foreign_tools.hpp"
#include "power/logs/formats/line_time.hpp"

namespace kjoule {
namespace {

/// Returns the format of a line and its cells, joined by "|"; "none" if it is CSV, or the error.
std::string read_line(const std::string& line) {
  try {
    const auto format = text_format_of(line);
    if (!format) return "none";
    std::string text = format->columns().format + ":";
    Cells cells;
    if (format->split(line, cells) != TextFormat::Line::row) return text;
    for (const std::string_view cell : cells) text += "|" + std::string(cell);
    return text;
  } catch (const Error& error) {
    return error.line();
  }
}

TEST(TextFormat, RecognisesTheLinesOfEachTool) {
  EXPECT_EQ(read_line("07-21-2025 16:33:42 RAM 1/2MB CPU [7%@1728] VDD_IN 5336mW/4970mW VDD_SOC 0mW/1mW"),
            "tegrastats:|2025-07-21 16:33:42|5336|0");
  EXPECT_EQ(read_line("2025-07-21T16:33:42.5 RAM 613/3964MB EMC_FREQ 0% POM_5V_IN 900/943 POM_5V_GPU 0/0"),
            "tegrastats:|2025-07-21 16:33:42.5|900|0");
  EXPECT_EQ(read_line("#Date       Time        gpu    pwr  gtemp"), "nvidia-smi-dmon:");
  EXPECT_EQ(read_line("2025-07-21 16:33:42 #Entity   POWER"), "dcgmi:");
  EXPECT_EQ(read_line("TIMESTAMP  GPU  XCP  POWER  PWR_CAP"), "amd-smi:");
  EXPECT_EQ(read_line("Time,07-21-2025 16:33:42.123,Watts,120.5,Volts,230.1,Mark,x"),
            "ptdaemon:|2025-07-21 16:33:42.123|120.5");
  EXPECT_EQ(read_line("Time_Of_Day_Seconds\tCore\tCPU\tPkgWatt"), "turbostat:");
  for (const char* csv :
       {"timestamp,gpu,power_w", "time,id,pm1,pm2,sum", "a;b", "", "Time,Watts", "GPU,POWER"})
    EXPECT_EQ(read_line(csv), "none") << csv;
}

TEST(TextFormat, RefusesLogsWithoutTimesOrPowers) {
  for (const char* line :
       {"RAM 1/2MB CPU [7%@1728] VDD_IN 5336mW/4970mW", "07-21-2025 16:33:42 RAM 1/2MB CPU [7%@1728]",
        "# gpu    pwr  gtemp", "#Time      gpu    pwr", "#Date  Time  gpu  sm  mem", "# gpu  pid  type  sm",
        "#Entity   POWER", "2025-07-21 16:33:42 #Entity  GPUTL", "GPU  XCP  POWER", "PkgWatt\tRAMWatt",
        "Core\tCPU\tAvg_MHz\tBusy%"}) {
    const std::string refusal = read_line(line);
    EXPECT_NE(refusal.find("a log of "), std::string::npos) << line << ": " << refusal;
    EXPECT_NE(refusal.find("; "), std::string::npos) << refusal;
  }
}

TEST(TextFormat, ReadsOnlyLinesOfTheWholeMachine) {
  const auto format = text_format_of("Time_Of_Day_Seconds\tCore\tCPU\tPkgWatt\tRAMWatt");
  Cells cells;
  EXPECT_EQ(format->split("1753115622.12\t-\t-\t63.01\t33.18", cells), TextFormat::Line::row);
  EXPECT_EQ(cells, (Cells{"1753115622.12", "63.01", "33.18"}));
  EXPECT_EQ(format->split("1753115622.12\t0\t0\t63.01\t33.18", cells), TextFormat::Line::other);
  EXPECT_EQ(format->split("1753115622.12\t0\t4", cells), TextFormat::Line::other);
}

TEST(TextFormat, RefusesAnotherHeader) {
  const auto format = text_format_of("#Date       Time        gpu    pwr  gtemp");
  Cells cells;
  EXPECT_EQ(format->split("#Date       Time        gpu    pwr  gtemp", cells), TextFormat::Line::other);
  EXPECT_EQ(format->split("#YYYYMMDD   HH:MM:SS    Idx      W      C", cells), TextFormat::Line::other);
  EXPECT_EQ(format->split(" 20250721   16:33:42      0     75", cells), TextFormat::Line::damaged);
  EXPECT_THROW(format->split("#Date       Time        gpu    sm    pwr", cells), Error);
}

TEST(LineTime, IsRemovedFromTheLine) {
  const auto taken = [](std::string_view line) {
    std::string time;
    return take_time(line, time) ? time + "|" + std::string(line) : "none";
  };
  EXPECT_EQ(taken("07-21-2025 16:33:42 RAM"), "2025-07-21 16:33:42| RAM");
  EXPECT_EQ(taken("15/03/2026 16:33:42 RAM"), "2026-03-15 16:33:42| RAM");
  EXPECT_EQ(taken("[2026-03-15T16:33:42.5+01:00] RAM"), "2026-03-15 16:33:42.5+01:00| RAM");
  EXPECT_EQ(taken("20260315 16:33:42 0"), "2026-03-15 16:33:42| 0");
  EXPECT_EQ(taken("1753115622.123 GPU"), "1753115622.123| GPU");
  for (const char* line : {"", "RAM 1", "2026-03-15", "2026-03-15 GPU", "123 GPU", "1753115622.x GPU"})
    EXPECT_EQ(taken(line), "none") << line;
}

TEST(ForeignTools, AreNamedWithARemedy) {
  for (const char* line : {"| NVIDIA-SMI 580.159", "==============NVSMI LOG==============", "{\"power\": 1}",
                           "device,Average Graphics Package Power (W)", "#d,-,18,3001,1201,2500,0;",
                           "1.000123,180.50,Joules,power/energy-pkg/,1000000000,100.00,,",
                           "1.000123;20.25;Joules;power/energy-ram/;1000000000;100.00;;",
                           "     1.000123      180.50 Joules power/energy-pkg/",
                           "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 300.5", "\x1F\x8B\x08", "PK\x03\x04"}) {
    try {
      refuse_foreign_tool(line);
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty()) << line;
    }
  }
  for (const char* line : {"timestamp,gpu,power_w", "Time,\"DCGM_FI_DEV_POWER_USAGE{gpu=\"\"0\"\"}\"",
                           "\"Time\",\"DCGM_FI_DEV_POWER_USAGE{}\"", "# powers in W"})
    EXPECT_NO_THROW(refuse_foreign_tool(line)) << line;
}

}  // namespace
}  // namespace kjoule
