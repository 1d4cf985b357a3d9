#include "power/logs/formats/foreign_tools.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr const char* kNvidiaRemedy =
    "log CSV: nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv -lms 100 > FILE";
constexpr const char* kOwnRemedy = "log with kjoule power log, or write its powers as CSV: timestamp,power_w";

constexpr const char* kDcgmRemedy = "log with dcgmi dmon -e 155 -d 100 | ts '%Y-%m-%dT%H:%M:%.S' > FILE";

/// A text that occurs in one of the first lines of a tool's output.
struct Marker {
  std::string_view text;
  const char* cause;
  const char* remedy;
};

constexpr std::array<Marker, 19> kMarkers{{
    {"| NVIDIA-SMI", "the table of nvidia-smi, which is one reading and no log", kNvidiaRemedy},
    {"==NVSMI LOG==", "the output of nvidia-smi -q, which kjoule does not read", kNvidiaRemedy},
    {"<!DOCTYPE nvidia_smi_log", "the output of nvidia-smi -q -x, which kjoule does not read", kNvidiaRemedy},
    {"ROCm System Management Interface", "the output of rocm-smi, which has no times",
     "log with amd-smi metric -p --csv -w 1 > FILE"},
    {"Average Graphics Package Power (W)", "the output of rocm-smi, which has no times",
     "log with amd-smi metric -p --csv -w 1 > FILE"},
    {"Current Socket Graphics Package Power (W)", "the output of rocm-smi, which has no times",
     "log with amd-smi metric -p --csv -w 1 > FILE"},
    {"*** Sampled system activity", "a log of powermetrics, which kjoule does not read", kOwnRemedy},
    {"Machine model:", "a log of powermetrics, which kjoule does not read", kOwnRemedy},
    {"Freq MHz req", "a log of intel_gpu_top, which has no times", kOwnRemedy},
    {"power/energy-", "a log of perf stat, which has energies and no powers",
     "log the same counters with kjoule power log --source rapl -o FILE"},
    {"Instantaneous power reading", "the output of ipmitool dcmi, which kjoule does not read",
     "write a CSV line for each reading: timestamp,power_w"},
    {"Ctxt/s", "a log of powerstat, whose times have no date",
     "log with kjoule power log --source rapl -o FILE"},
    {"emissions_rate", "a table of CodeCarbon, which has mean powers of whole runs and no readings",
     "log the power while the program runs: kjoule power log -o FILE"},
    {"# HELP DCGM_", "the metrics of dcgm-exporter, which are one reading and no log", kDcgmRemedy},
    {"#d,-,", "records of a WattsUp meter, which have no times",
     "log with kjoule power log --source wattsup:PORT -o FILE"},
    {"SQLite format 3", "an SQLite database and no power log", "give a power log as a text file"},
    {"\x1F\x8B", "a file compressed with gzip", "decompress it: gunzip FILE"},
    {"\x28\xB5\x2F\xFD", "a file compressed with zstd", "decompress it: unzstd FILE"},
    {"PK\x03\x04", "a ZIP archive or an Excel workbook", "save the table as CSV"},
}};

[[noreturn]] void refuse_tool(const std::string& cause, const std::string& remedy) {
  throw Error("is not a power log that kjoule reads: " + cause, remedy);
}

}  // namespace

void refuse_foreign_tool(std::string_view line) {
  for (const Marker& marker : kMarkers) {
    const bool is_signature = marker.text.size() <= 4;
    if (is_signature ? line.starts_with(marker.text) : line.find(marker.text) != std::string_view::npos)
      refuse_tool(marker.cause, marker.remedy);
  }
  // A table of Grafana or Prometheus has such a metric as the name of a column.
  if (line.starts_with("DCGM_FI_") && line.find('{') != std::string_view::npos)
    refuse_tool("the metrics of dcgm-exporter, which are one reading and no log", kDcgmRemedy);
  // A log with a column of times of another name is read if the user names this column.
  const auto has = [&](std::string_view part) { return line.find(part) != std::string_view::npos; };
  if (has("power.draw") && !has("time") && !has("Time") && !has("date") && !has("Date") && !has("Zeit"))
    refuse_tool("a log of nvidia-smi without times", kNvidiaRemedy);
  const auto has_any = [&](std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(), has);
  };
  if (has_any({"utilization.gpu", "memory.used", "temperature.gpu", "clocks.sm"}) &&
      !has_any({"power", "Power", "watt", "Watt", "draw", "pwr", "_w", "W]", "W)"}))
    refuse_tool("a log of nvidia-smi without powers", kNvidiaRemedy);
  const size_t first = line.find_first_not_of(" \t");
  if (first != std::string_view::npos && (line[first] == '{' || line.substr(first).starts_with("[{")))
    refuse_tool("JSON", "write its readings as CSV, with a header such as timestamp,power_w");
}

}  // namespace kjoule
