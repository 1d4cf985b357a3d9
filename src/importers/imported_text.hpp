#pragma once
#include <string>

#include "base/error.hpp"
#include "importers/import.hpp"

// Helpers for tests that import a text instead of a file.

namespace kjoule {

/// Imports the text as a file of that name.
inline ImportedTable imported(const std::string& text, const ImportChoice& choice = {},
                              const std::string& file = "k.jsonl") {
  return import_text(PaddedText::copy_of(text), choice, file);
}

/// Returns the error of importing the text, with its remedy.
inline std::string refusal(const std::string& text, const ImportChoice& choice = {},
                           const std::string& file = "k.jsonl") {
  try {
    imported(text, choice, file);
  } catch (const Error& error) {
    return error.line();
  }
  return "nothing was refused";
}

}  // namespace kjoule
