#pragma once
#include <string>

namespace kjoule {

/// Where kjoule's Python side is, and what runs it.
struct PythonPackage {
  std::string interpreter;
  std::string package_folder;  ///< contains kjoule_export/
};

/// The interpreter of $KJOULE_PYTHON, of the .venv that tools/setup makes beside the sources, or python3; the
/// package beside the sources or in ../share/kjoule. Error when the package is not found.
PythonPackage find_python();

}  // namespace kjoule
