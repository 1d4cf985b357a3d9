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
/// driver call of the program names them. Their names are read from machine code that the driver loads, and
/// then looked up in the modules of the program's kernels.
class ModuleGlobals {
 public:
  /// Adds machine code that the driver has loaded. Any thread may call it.
  void add_module(const void* cubin, size_t bytes);
  /// Forgets a library or module that the program unloads. Any thread may call it.
  void forget(const void* module);
  /// Registers modules whose kernels the program uses. Any thread may call it.
  void expect(const Containers& modules);
  /// Returns the memory of the variables in those of these modules that are registered by expect() and not
  /// forgotten. The ranges are disjoint, sorted, and aligned to 16 bytes. Needs a current context. Only one
  /// thread at a time may call it, and not within a callback that loads a module; other threads may call the
  /// functions above meanwhile.
  std::vector<Allocation> memory(const Containers& modules);

 private:
  /// The variables that were found in one module or library, and the number of names that were looked up in
  /// it.
  struct Module {
    size_t looked_up = 0;
    std::vector<Allocation> variables;
  };

  /// Returns the names that were not looked up in this module yet; none if the module is not registered.
  std::vector<std::string> new_names(const void* module);
  /// Adds the variables that were found under the next `names` names. Returns all variables of the module, or
  /// none if it was forgotten meanwhile.
  std::vector<Allocation> add(const void* module, size_t names, const std::vector<Allocation>& variables);

  Mutex mutex_;  ///< not locked during driver calls, whose callbacks lock it
  std::set<std::string> known_ KJOULE_GUARDED_BY(mutex_);
  /// The names in the order in which they became known.
  std::vector<std::string> names_ KJOULE_GUARDED_BY(mutex_);
  std::map<const void*, Module> modules_ KJOULE_GUARDED_BY(mutex_);
};

}  // namespace kjoule::cuda
