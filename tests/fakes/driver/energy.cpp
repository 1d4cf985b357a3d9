#include "energy.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "devices.hpp"
#include "spent_energy.hpp"
#include "timeline.hpp"

namespace stand_in {

double power_of(const std::string& kernel) {
  constexpr double kAdd_w = 400, kScale_w = 250, kNccl_w = 300, kOther_w = 200;
  if (kernel == "add") return kAdd_w;
  if (kernel == "scale") return kScale_w;
  return kernel.starts_with("nccl") ? kNccl_w : kOther_w;
}

/// The virtual time of the running device since its links were used last, ns.
static double& unused_ns() {
  static std::array<double, kMostDevices> of_devices{};
  return of_devices.at(static_cast<size_t>(Running::number()));
}

void use_links() {
  unused_ns() = 0;
}

/// Returns what the links of the running device consume in the next `ns` of its time, in W.
static double power_of_links(double ns) {
  static const double sleep_ns = 60'000 * slowness();
  static const char* const asked = std::getenv("FAKE_CUDA_LINKS_W");
  static const double awake_w = asked == nullptr ? 0 : std::atof(asked);
  const double awake_ns = std::clamp(sleep_ns - unused_ns(), 0.0, ns);
  unused_ns() += ns;
  return ns > 0 ? awake_w * awake_ns / ns : 0;
}

void spend(double ns, double watts) {
  static const auto all = [] {
    std::array<SpentEnergy*, kMostDevices> mapped{};
    for (int device = 0; device < devices(); ++device)
      mapped.at(static_cast<size_t>(device)) = map_spent_energy(number_in_machine(device));
    return mapped;
  }();
  SpentEnergy* const spent = all.at(static_cast<size_t>(Running::device() - number_in_machine(0)));
  if (spent == nullptr) return;
  spent->ns += ns;
  spent->nanojoules += ns * (watts + power_of_links(ns));
}

}  // namespace stand_in
