#include "report/kernel_names.hpp"

#include "base/printable.hpp"
#include "recording/activity.hpp"
#include "report/shortened.hpp"

namespace kjoule {

KernelNames::KernelNames(const std::vector<std::string>& names, NameStyle style, size_t length)
    : short_names_(names, length), style_(style) {}

std::string KernelNames::shown(const std::string& name) const {
  return printable(style_ == NameStyle::full ? readable_name(name) : short_names_.of(name));
}

std::string KernelNames::shown(const std::string& name, const std::string& signature, size_t width) const {
  const bool continues = signature.starts_with(name);
  return shown(name) + shortened(continues ? signature.substr(name.size()) : signature, width);
}

KernelNames names_of(const std::vector<KernelResult>& kernels, NameStyle style) {
  return KernelNames::of_all(
      kernels, [](const KernelResult& kernel) { return kernel.name; }, style);
}

}  // namespace kjoule
