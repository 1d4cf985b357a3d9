#pragma once
#include <map>

#include "call.hpp"
#include "child/inject/ranges.hpp"
#include "trace/recording.hpp"

namespace kjoule::driver {

/// Launches as a Recording has them: readable name, tier, signature. Words of arguments that are addresses of
/// device memory do not count for the signature.
class Describer {
 public:
  explicit Describer(const inject::Ranges& ranges) : ranges_(ranges) {}
  Launch describe(const Call& call);

 private:
  uint64_t hash_of_values(const KernelCall& kernel) const;

  const inject::Ranges& ranges_;
  std::map<CUstream, int> streams_;  ///< numbered as they come
};

}  // namespace kjoule::driver
