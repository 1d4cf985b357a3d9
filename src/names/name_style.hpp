#pragma once

namespace kjoule {

/// How a table or a sentence for people names kernels.
enum class NameStyle {
  shortened,  ///< by their short names
  full        ///< by their full names, demangled
};

}  // namespace kjoule
