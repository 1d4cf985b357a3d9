#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace kjoule {

/// The folder of kjoule's Python package and the interpreter that runs it.
struct PythonPackage {
  std::string interpreter;
  std::string package_folder;  ///< the folder that contains kjoule_export/
};

/// Returns kjoule's Python package and an interpreter. The interpreter is the first available one of:
/// $KJOULE_PYTHON, the one for which $KJOULE_TORCH is installed, the .venv that tools/setup makes next to the
/// sources, the one for which the torch of this build is installed, python3. The package is in
/// ../share/kjoule, where it is installed, or next to the sources. Throws Error if the package is not found.
PythonPackage find_python();

/// Returns the command line that runs a module of the package. The package comes first on sys.path, the
/// user's PYTHONPATH follows, and the current folder is not on it. For that, the empty entries of PYTHONPATH
/// are removed from the environment of this process. Throws Error if the package is not found.
std::vector<std::string> python_command(const std::string& module);

/// Returns a search path ("a:b") without its empty entries, which programs take as the current folder.
std::string without_empty_entries(const std::string& search_path);

/// Returns the Python for which a torch package folder is installed; empty for a libtorch without Python.
std::string interpreter_of(const std::filesystem::path& torch_folder);

}  // namespace kjoule
