#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace kjoule {

/// Where kjoule's Python side is, and what runs it.
struct PythonPackage {
  std::string interpreter;
  std::string package_folder;  ///< contains kjoule_export/
};

/// The interpreter that $KJOULE_PYTHON names, that $KJOULE_TORCH is installed for, of the .venv that
/// tools/setup makes beside the sources, that the torch of this build is installed for, or python3; the
/// package in ../share/kjoule, where it is installed, or beside the sources. Error when the package is not
/// found.
PythonPackage find_python();

/// The command line that runs a module of kjoule's Python side, which from now on is on the path of each
/// Python that is started. Error when it is not found.
std::vector<std::string> python_command(const std::string& module);

/// The Python that a torch package folder is installed for; empty when it is a libtorch without Python.
std::string interpreter_of(const std::filesystem::path& torch_folder);

}  // namespace kjoule
