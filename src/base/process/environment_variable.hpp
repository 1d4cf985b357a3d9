#pragma once
#include <cstdlib>
#include <string>

namespace kjoule {

/// Returns the value of an environment variable; an empty text if it is not set.
inline std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace kjoule
