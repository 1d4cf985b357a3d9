#include "run/python.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "base/process/environment_variable.hpp"
#include "base/process/process.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

namespace fs = std::filesystem;

std::string interpreter_of(const fs::path& torch_folder) {
  // PREFIX/lib/python3.11/site-packages/torch belongs to PREFIX/bin/python3
  if (torch_folder.empty()) return {};
  const fs::path prefix = torch_folder.lexically_normal() / "../../../..";
  const fs::path interpreter = prefix.lexically_normal() / "bin/python3";
  const bool installed = fs::exists(torch_folder / "__init__.py") && fs::exists(interpreter);
  return installed ? interpreter.string() : std::string();
}

namespace {

/// Returns the first available interpreter in the order of find_python().
std::string choose_interpreter(const fs::path& venv, const fs::path& programs) {
  if (std::string chosen = environment_variable("KJOULE_PYTHON"); !chosen.empty()) return chosen;
  if (std::string of_torch = interpreter_of(environment_variable("KJOULE_TORCH")); !of_torch.empty())
    return of_torch;
  if (fs::exists(venv)) return venv.string();
  // In a wheel, the programs are in PREFIX/lib/python3.11/site-packages/kjoule/bin.
  if (std::string of_wheel = interpreter_of(programs.parent_path()); !of_wheel.empty()) return of_wheel;
  const std::string built_with = interpreter_of(RunnerPlaces::of_this_machine().built_with);
  return built_with.empty() ? "python3" : built_with;
}

}  // namespace

PythonPackage find_python() {
  const fs::path here = executable_folder();
  // An installed kjoule may be within a source tree, so its own folder comes first.
  for (const fs::path& root : {here / "../share/kjoule", here / "../..", here / ".."}) {
    if (!fs::is_directory(root / "python/kjoule_export")) continue;
    return {choose_interpreter(root / ".venv/bin/python", here), fs::canonical(root / "python").string()};
  }
  throw Error(
      "kjoule's Python package kjoule_export is not near " + here.string(),
      "run kjoule from its source tree's build/bin, or install it: cmake --install build --prefix DIR");
}

std::string without_empty_entries(const std::string& search_path) {
  std::string kept;
  std::istringstream entries(search_path);
  for (std::string entry; std::getline(entries, entry, ':');)
    if (!entry.empty()) kept += (kept.empty() ? "" : ":") + entry;
  return kept;
}

std::vector<std::string> python_command(const std::string& module) {
  const PythonPackage python = find_python();
  const std::string search_path = without_empty_entries(environment_variable("PYTHONPATH"));
  if (search_path.empty())
    unsetenv("PYTHONPATH");
  else
    setenv("PYTHONPATH", search_path.c_str(), 1);
  return {python.interpreter, python.package_folder + "/kjoule_start.py", module};
}

}  // namespace kjoule
