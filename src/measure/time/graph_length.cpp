#include "measure/time/graph_length.hpp"

#include <algorithm>
#include <cmath>

namespace kjoule {

namespace {

constexpr size_t kLeastLead = 64;  ///< number of launches that are a sufficient lead
constexpr double kLead_s = 1e-3;   ///< time for which a lead of fewer launches is sufficient
constexpr double kLeastSpan_s = 1e-3;
constexpr size_t kMostTimed = 10'000;  ///< largest number of timed launches: longer graphs take long to make

}  // namespace

uint32_t lead_iterations(double iteration_s, size_t launches) {
  const auto most = static_cast<double>((kLeastLead + launches - 1) / launches);
  if (!(iteration_s > 0)) return static_cast<uint32_t>(most);
  return static_cast<uint32_t>(std::clamp(std::ceil(kLead_s / iteration_s), 1.0, most));
}

uint32_t iterations_to_time(double iteration_s, size_t launches) {
  const auto most = static_cast<double>(std::max<size_t>(1, kMostTimed / launches));
  if (!(iteration_s > 0)) return static_cast<uint32_t>(most);
  return static_cast<uint32_t>(std::clamp(std::ceil(kLeastSpan_s / iteration_s), 1.0, most));
}

}  // namespace kjoule
