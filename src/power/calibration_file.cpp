#include "power/calibration_file.hpp"

#include <algorithm>

#include "power/user_list.hpp"

namespace kjoule {

namespace {

bool is_of(const Calibration& calibration, const std::string& source, const std::string& device,
           const std::string& id) {
  return calibration.source == source && calibration.device == device && calibration.id == id;
}

constexpr UserList<Calibration> kCalibrations{
    .name = "calibrations",
    .entry = "calibration",
    .remedy = "remove the file, and calibrate again with kjoule power calibrate",
    .fault = [](const Calibration& one) -> std::string {
      return one.gain.value > 0 ? "" : "gain is not above 0";
    },
    .replaces = [](const Calibration& old,
                   const Calibration& added) { return is_of(old, added.source, added.device, added.id); },
};

}  // namespace

std::filesystem::path calibrations_path() {
  return kCalibrations.path();
}

std::vector<Calibration> read_calibrations(const std::filesystem::path& path) {
  return kCalibrations.read(path);
}

void prepare_calibrations(const std::filesystem::path& path) {
  kCalibrations.prepare(path);
}

void store_calibration(const std::filesystem::path& path, const Calibration& calibration) {
  kCalibrations.store(path, calibration);
}

std::optional<Calibration> find_calibration(const std::vector<Calibration>& calibrations,
                                            const std::string& source, const std::string& device,
                                            const std::string& id) {
  const auto found = std::ranges::find_if(
      calibrations, [&](const Calibration& one) { return is_of(one, source, device, id); });
  return found == calibrations.end() ? std::nullopt : std::optional(*found);
}

}  // namespace kjoule
