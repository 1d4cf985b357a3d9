#pragma once

namespace kjoule {

inline constexpr double kJoulesPerWh = 3600;

}  // namespace kjoule
