#pragma once
#include <cuda.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/process/mutex.hpp"
#include "cuda/calls/function_table.hpp"
#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

/// The variables of the program's device code (`__device__`, `__managed__`), which kernels can write. No
/// driver call of the program names them: their names are read from machine code that the driver loads,
/// and looked up in the modules of the program's kernels.
class ModuleGlobals {
 public:
  /// Takes note of machine code that the driver has loaded. Any thread may call it.
  void add_module(const void* cubin, size_t bytes);
  /// Forgets a library or module that the program unloads. Any thread may call it.
  void forget(const void* module);
  /// Takes note of modules whose kernels the program uses. Any thread may call it.
  void expect(const Containers& modules);
  /// Returns the memory of the variables in those of these modules that are expected and not forgotten:
  /// disjoint and sorted, aligned to 16 bytes. Needs a current context. One thread at a time may call it,
  /// while others call the functions above, but not within a callback that loads a module.
  std::vector<Allocation> memory(const Containers& modules);

 private:
  /// The variables of one module or library that were found, and how many names were looked up.
  struct Module {
    size_t looked_up = 0;
    std::vector<Allocation> variables;
  };

  /// Returns the names that were not looked up in this module yet; none if it is not expected.
  std::vector<std::string> new_names(const void* module);
  /// Adds what was found of the next `names` names; returns all of the module's variables, or none if it was
  /// forgotten meanwhile.
  std::vector<Allocation> add(const void* module, size_t names, const std::vector<Allocation>& variables);

  Mutex mutex_;  ///< not held while the driver is asked, whose callbacks wait for it
  std::set<std::string> known_ KJOULE_GUARDED_BY(mutex_);
  /// In the order in which they became known.
  std::vector<std::string> names_ KJOULE_GUARDED_BY(mutex_);
  std::map<const void*, Module> modules_ KJOULE_GUARDED_BY(mutex_);
};

}  // namespace kjoule::cuda
