#pragma once

namespace kjoule {

/// The form of kernel names in tables and sentences for people.
enum class NameStyle {
  shortened,  ///< by their short names
  full        ///< by their full names, demangled
};

}  // namespace kjoule
