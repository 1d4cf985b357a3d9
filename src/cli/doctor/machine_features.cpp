#include "cli/doctor/machine_features.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/process.hpp"
#include "cli/doctor/nvidia_features.hpp"
#include "power/meters/rapl.hpp"
#include "power/meters/serial_port.hpp"
#include "run/python.hpp"

namespace kjoule {

namespace fs = std::filesystem;

namespace {

using Status = MachineFeature::Status;

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr double kEnoughMemory_gib = 2;
constexpr double kEnoughDisk_gib = 1;
constexpr double kPatience_s = 60;  // Python and libtorch start slowly from a cold disk

/// Returns VALUE of the first line "KEY: VALUE", or an empty text if there is no such line.
std::string value_of(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const size_t from = line.find_first_not_of(" \t", colon + 1);
    return from == std::string::npos ? "" : line.substr(from);
  }
  return {};
}

std::string text_or_nothing(const fs::path& path) {
  try {
    return read_text(path);
  } catch (const Error&) {
    return {};
  }
}

std::vector<fs::path> entries_starting_with(const fs::path& folder, const std::string& start) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().filename().string().starts_with(start)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

MachineFeature examine_disk() {
  std::error_code failed;
  const fs::space_info space = fs::space(".", failed);
  if (failed)
    return {.item = "disk",
            .status = Status::limited,
            .detail = failed.message(),
            .remedy = "change to an existing folder"};
  const double free_gib = static_cast<double>(space.available) / kGiB;
  MachineFeature feature{.item = "disk",
                         .detail = fmt::format("{:.1f} GiB of disk space free for this folder", free_gib)};
  if (free_gib < kEnoughDisk_gib) {
    feature.status = Status::limited;
    feature.remedy = "free some space, or write to another folder with --output-dir";
  } else if (access(".", W_OK) != 0) {
    feature.status = Status::limited;
    feature.detail += ", but this folder may not be written to";
    feature.remedy = "write to another folder with --output-dir";
  }
  return feature;
}

bool has_libtorch(const fs::path& folder) {
  return fs::exists(folder / "lib/libtorch_cpu.so");
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

MachineFeature examine_export() {
  MachineFeature feature{.item = "python (export)"};
  try {
    const std::vector<std::string> command = python_command("kjoule_export.versions");
    const ProgramOutput output = read_program(command, kPatience_s);
    feature.detail = first_line(output.text);
    if (output.exit_code == 0) return feature;
    feature.detail = command.front() + " lacks the package torch or transformers";
  } catch (const Error& error) {
    feature.detail = error.what();
  }
  feature.status = Status::missing;
  feature.remedy =
      "needed only for kjoule export: install both (in a clone: tools/setup), or set KJOULE_PYTHON to a "
      "Python that has them";
  return feature;
}

}  // namespace

const char* status_name(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::missing:
      return "missing";
    case Status::limited:
      return "limited";
  }
  return "unknown";
}

MachineFeature examine_cpu(const std::string& cpuinfo, unsigned cores) {
  const std::string model = value_of(cpuinfo, "model name");
  MachineFeature feature{.item = "CPU"};
  feature.detail =
      fmt::format("{}, {} {}", model.empty() ? "model unknown" : model, cores, cores == 1 ? "core" : "cores");
  if (cores == 1) {
    feature.status = Status::limited;
    feature.remedy = "with one core, other processes disturb the measurement; use at least two cores";
  }
  return feature;
}

MachineFeature examine_memory(const std::string& meminfo) {
  const auto gib = [&meminfo](const char* key) {
    return std::strtod(value_of(meminfo, key).c_str(), nullptr) * 1024 / kGiB;
  };
  const double available = gib("MemAvailable");
  MachineFeature feature{
      .item = "memory",
      .detail = fmt::format("{:.1f} GiB, {:.1f} GiB available", gib("MemTotal"), available)};
  if (available < kEnoughMemory_gib) {
    feature.status = Status::limited;
    feature.remedy = "close other programs, or export a smaller model (kjoule export --layers --hidden)";
  }
  return feature;
}

MachineFeature examine_rapl(const fs::path& powercap) {
  MachineFeature feature{.item = "RAPL (CPU energy)"};
  try {
    const std::vector<FoundMeter> counters = rapl_source(powercap)->find();
    const auto lacking = std::count_if(counters.begin(), counters.end(),
                                       [](const FoundMeter& counter) { return !counter.lack.empty(); });
    const auto all = static_cast<std::ptrdiff_t>(counters.size());
    feature.detail = fmt::format("{} of {} counters readable", all - lacking, all);
    if (lacking > 0) feature.status = Status::limited;
    for (const FoundMeter& counter : counters)
      if (!counter.lack.empty()) feature.remedy = counter.remedy;
  } catch (const Error& none) {
    feature.status = Status::missing;
    feature.detail = "no counters";
    feature.remedy = none.remedy();
  }
  return feature;
}

MachineFeature examine_serial_ports(const fs::path& devices) {
  MachineFeature feature{.item = "serial ports"};
  for (const fs::path& port : entries_starting_with(devices, "ttyUSB")) {
    feature.detail += (feature.detail.empty() ? "" : ", ") + port.string();
    const PortLack lack = port_lack(port.string());
    if (lack.cause.empty()) continue;
    feature.status = Status::limited;
    feature.detail += " (" + lack.cause.substr(lack.cause.find(": ") + 2) + ")";
    feature.remedy = lack.remedy;
  }
  if (feature.detail.empty()) {
    feature.status = Status::missing;
    feature.detail = "no USB serial adapter";
    feature.remedy = "needed only for a power meter at the mains socket: plug one in";
  }
  return feature;
}

MachineFeature examine_torch(const RunnerPlaces& places) {
  const fs::path& built_with = places.built_with;
  const fs::path& asked = places.asked;
  MachineFeature feature{.item = "torch", .needed = true};
  if (!places.supported_versions().empty()) {
    const fs::path torch = places.torch();
    if (!torch.empty()) feature.detail = fmt::format("{} in {}", torch_version(torch), torch.string());
    if (const auto lack = lack_in_wheel(places)) {
      feature.status = Status::missing;
      feature.detail = lack->what();
      feature.remedy = "needed only for models: " + lack->remedy();
    }
    return feature;
  }
  const std::string again = "; then build again: make build";
  if (!asked.empty() && !has_libtorch(asked)) {
    feature.status = Status::missing;
    feature.detail = fmt::format("KJOULE_TORCH={} does not contain lib/libtorch_cpu.so", asked.string());
    feature.remedy = built_with.empty() ? "set KJOULE_TORCH to the folder of a torch package" + again
                                        : "unset KJOULE_TORCH, or set it to the folder of a torch package of "
                                          "the version with which kjoule-torch was built";
  } else if (built_with.empty()) {
    feature.status = Status::missing;
    feature.detail = "kjoule was built without torch";
    feature.remedy = "run tools/setup, or set KJOULE_TORCH to the folder of a torch package" + again;
  } else if (!has_libtorch(built_with) && !asked.empty()) {
    feature.detail = fmt::format("{} in {}, named by KJOULE_TORCH", torch_version(asked), asked.string());
  } else if (!has_libtorch(built_with)) {
    feature.status = Status::missing;
    feature.detail =
        "the torch package with which kjoule-torch was built is no longer in " + built_with.string();
    feature.remedy = "set KJOULE_TORCH to a torch package of that version, or run tools/setup" + again;
  } else {
    std::error_code ignored;
    feature.detail = fmt::format("{} in {}", torch_version(built_with), built_with.string());
    if (!asked.empty() && !fs::equivalent(asked, built_with, ignored)) {
      feature.status = Status::limited;
      feature.detail += ", which is not the one that KJOULE_TORCH names";
      feature.remedy = "build again: make build";
    }
  }
  return feature;
}

MachineFeature examine_torch_child(const RunnerPlaces& places) {
  const std::vector<std::string> versions = places.supported_versions();
  const fs::path program = places.runner();
  MachineFeature feature{.item = "kjoule-torch", .needed = true};
  if (lack_in_wheel(places)) {
    feature.status = Status::missing;
    feature.detail = fmt::format("for torch {}", fmt::join(versions, ", "));
    feature.remedy = "needed only for models: install one of these versions of torch";
    return feature;
  }
  if (!fs::exists(program)) {
    feature.status = Status::missing;
    feature.detail = "the program kjoule-torch is not in the folder of kjoule";
    feature.remedy = "run tools/setup, then make build";
    return feature;
  }
  try {
    const ProgramOutput output = read_program(
        {"env", "LD_LIBRARY_PATH=" + places.library_path(), program.string(), "--version"}, kPatience_s);
    feature.detail = first_line(output.text);
    if (!versions.empty()) feature.detail += fmt::format(", for torch {}", fmt::join(versions, ", "));
    if (output.exit_code == 0) return feature;
    feature.detail = fmt::format("does not start (exit code {}): {}", output.exit_code, feature.detail);
  } catch (const Error& error) {
    feature.detail = error.what();
  }
  feature.status = Status::missing;
  feature.remedy = "build it again on this machine: make build";
  return feature;
}

MachineFeature examine_models_on_cuda(const RunnerPlaces& places) {
  MachineFeature feature{.item = kModelsOnCuda, .detail = "used with --device cuda and --device auto"};
  if (const auto lack = lack_for_cuda(places)) {
    feature.status = Status::missing;
    feature.detail = lack->what();
    feature.remedy = lack->remedy();
  }
  return feature;
}

std::vector<MachineFeature> examine_machine() {
  const RunnerPlaces places = RunnerPlaces::of_this_machine();
  std::vector<MachineFeature> features{
      examine_cpu(text_or_nothing("/proc/cpuinfo"), std::thread::hardware_concurrency()),
      examine_memory(text_or_nothing("/proc/meminfo")),
      examine_disk(),
      examine_torch(places),
      examine_torch_child(places),
      examine_export(),
  };
  for (MachineFeature& feature : examine_nvidia(places.torch())) features.push_back(std::move(feature));
  features.push_back(examine_models_on_cuda(places));
  features.push_back(examine_rapl("/sys/class/powercap"));
  features.push_back(examine_serial_ports("/dev"));
  return features;
}

}  // namespace kjoule
