#pragma once
#include <set>
#include <string>

namespace kjoule {

/// Names of the layers of one network, each different from the others, because reports identify layers by
/// name.
class LayerNames {
 public:
  /// Returns the name, with a number as in "relu (2)" if it was returned before.
  std::string distinct(const std::string& name);

 private:
  std::set<std::string> taken_;
};

}  // namespace kjoule
