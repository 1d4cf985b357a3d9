#pragma once
#include <string>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "names/name_style.hpp"
#include "names/short_names.hpp"
#include "recording/activity.hpp"

namespace kjoule {

/// The names by which the sentences of a comparison refer to its kernels.
class SentenceNames {
 public:
  explicit SentenceNames(const std::vector<KernelResult>& kernels, NameStyle style = NameStyle::shortened)
      : style_(style) {
    std::vector<std::string> names;
    for (const KernelResult& kernel : kernels) names.push_back(kernel.name);
    short_names_ = ShortNames(names);
  }

  std::string of(const std::string& name) const {
    return style_ == NameStyle::full ? readable_name(name) : short_names_.of(name);
  }

 private:
  NameStyle style_;
  ShortNames short_names_;
};

}  // namespace kjoule
