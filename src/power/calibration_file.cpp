#include "power/calibration_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/user_folder.hpp"

namespace kjoule {

namespace {

constexpr const char* kList = "calibrations";

bool is_of(const Calibration& calibration, const std::string& source, const std::string& device,
           const std::string& id) {
  return calibration.source == source && calibration.device == device && calibration.id == id;
}

}  // namespace

std::filesystem::path calibrations_path() {
  const std::filesystem::path folder = user_folder("XDG_CONFIG_HOME", ".config");
  return folder.empty() ? folder : folder / "kjoule" / "calibrations.json";
}

std::vector<Calibration> read_calibrations(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) return {};
  const char* remedy = "remove the file, and calibrate again with kjoule power calibrate";
  const nlohmann::json json = read_json(path);
  if (!json.is_object() || !json.contains(kList) || !json.at(kList).is_array())
    throw Error(fmt::format("{}: it has no list of calibrations", path.string()), remedy);
  std::vector<Calibration> calibrations;
  for (const nlohmann::json& one : json.at(kList)) {
    try {
      calibrations.push_back(read_fields<Calibration>(one, "calibration"));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", path.string(), error.what()), remedy);
    }
    if (!(calibrations.back().gain.value > 0))
      throw Error(fmt::format("{}: calibration.gain is not above 0", path.string()), remedy);
  }
  return calibrations;
}

void store_calibration(const std::filesystem::path& path, const Calibration& calibration) {
  if (path.empty())
    throw Error("there is no folder for the calibration: HOME is not set", "set HOME or XDG_CONFIG_HOME");
  std::vector<Calibration> all = read_calibrations(path);
  std::erase_if(all, [&](const Calibration& old) {
    return is_of(old, calibration.source, calibration.device, calibration.id);
  });
  all.push_back(calibration);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Calibration& one : all) list.push_back(nlohmann::ordered_json(write_fields(one)));
  make_folder(path.parent_path());
  write_json(path, {{kList, std::move(list)}});
}

std::optional<Calibration> find_calibration(const std::vector<Calibration>& calibrations,
                                            const std::string& source, const std::string& device,
                                            const std::string& id) {
  const auto found = std::ranges::find_if(
      calibrations, [&](const Calibration& one) { return is_of(one, source, device, id); });
  return found == calibrations.end() ? std::nullopt : std::optional(*found);
}

}  // namespace kjoule
