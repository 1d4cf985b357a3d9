#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace kjoule {

/// The folder of kjoule's Python package, and the interpreter that runs the package.
struct PythonPackage {
  std::string interpreter;
  std::string package_folder;  ///< the folder that contains kjoule_export/
};

/// Returns kjoule's Python package and an interpreter. The package is in ../share/kjoule if kjoule is
/// installed, otherwise in the source tree. The interpreter is the first available one of:
/// - $KJOULE_PYTHON;
/// - the interpreter for which $KJOULE_TORCH is installed;
/// - the .venv that tools/setup makes in the source tree;
/// - the interpreter of the environment into which the wheel of this kjoule was installed;
/// - the interpreter for which the torch of this build is installed;
/// - python3.
/// Throws Error if the package is not found.
PythonPackage find_python();

/// Returns the command line that runs a module of the package. sys.path contains the package first, then the
/// user's PYTHONPATH, but not the current folder. To exclude the current folder, this function removes the
/// empty entries of PYTHONPATH from the environment of this process. Throws Error if the package is not
/// found.
std::vector<std::string> python_command(const std::string& module);

/// Returns a search path ("a:b") without its empty entries, which mean the current folder.
std::string without_empty_entries(const std::string& search_path);

/// Returns the Python interpreter for which the torch package in a folder is installed; empty for a libtorch
/// without Python.
std::string interpreter_of(const std::filesystem::path& torch_folder);

}  // namespace kjoule
