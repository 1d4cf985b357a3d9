#include "power/sensor_rate.hpp"

#include <algorithm>

#include "power/user_list.hpp"

namespace kjoule {

namespace {

bool is_of_board(const SensorRate& rate, const std::string& device, const std::string& id) {
  return rate.device == device && rate.id == id;
}

std::string fault_of_rate(const SensorRate& rate) {
  if (rate.from.empty()) return "from is empty";
  if (!rate.hz) return "";
  if (!(rate.hz->value >= kLowestSensor_hz && rate.hz->value <= kHighestSensor_hz))
    return fmt::format("hz.value is not from {} to {}", kLowestSensor_hz, kHighestSensor_hz);
  return rate.hz->half_width >= 0 && rate.hz->half_width < rate.hz->value
             ? ""
             : "hz.half_width is not from 0 to hz.value";
}

constexpr UserList<SensorRate> kSensorRates{
    .name = "sensor_rates",
    .entry = "sensor_rate",
    .remedy = "remove the file, and measure the rate again with kjoule power probe",
    .fault = fault_of_rate,
    .replaces = [](const SensorRate& old,
                   const SensorRate& added) { return is_of_board(old, added.device, added.id); },
};

}  // namespace

std::filesystem::path sensor_rates_path() {
  return kSensorRates.path();
}

std::vector<SensorRate> read_sensor_rates(const std::filesystem::path& path) {
  return kSensorRates.read(path);
}

void prepare_sensor_rates(const std::filesystem::path& path) {
  kSensorRates.prepare(path);
}

void store_sensor_rate(const std::filesystem::path& path, const SensorRate& rate) {
  kSensorRates.store(path, rate);
}

std::optional<SensorRate> find_sensor_rate(const std::vector<SensorRate>& rates, const std::string& device,
                                           const std::string& id) {
  const auto found = std::ranges::find_if(
      rates, [&](const SensorRate& one) { return is_of_board(one, device, id) && one.failure.empty(); });
  return found == rates.end() ? std::nullopt : std::optional(*found);
}

}  // namespace kjoule
