#include "cli/python.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"

namespace kjoule {

namespace fs = std::filesystem;

PythonPackage find_python() {
  const fs::path here = executable_folder();
  // build/bin/kjoule beside the sources, or prefix/bin/kjoule
  for (const fs::path& root : {here / "../..", here / "../share/kjoule", here / ".."}) {
    if (!fs::is_directory(root / "python/kjoule_export")) continue;
    const char* chosen = std::getenv("KJOULE_PYTHON");
    const fs::path venv = root / ".venv/bin/python";
    const std::string interpreter = chosen != nullptr ? chosen : fs::exists(venv) ? venv.string() : "python3";
    return {interpreter, fs::canonical(root / "python").string()};
  }
  throw Error("kjoule's Python package kjoule_export is not near " + here.string(),
              "run kjoule from its source tree's build/bin");
}

}  // namespace kjoule
