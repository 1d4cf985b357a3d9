#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace kjoule {

/// Returns the word whose form agrees with a number: `singular` for 1, otherwise `plural`.
inline std::string_view agreeing(size_t number, std::string_view singular, std::string_view plural) {
  return number == 1 ? singular : plural;
}

/// Returns a number with its noun: "1 kernel", "2 kernels". The plural is formed with s, or with es after
/// ch ("launches").
inline std::string counted(size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

}  // namespace kjoule
