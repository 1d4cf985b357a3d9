#include "report/kernel_names.hpp"

#include "base/text/printable.hpp"
#include "recording/activity.hpp"
#include "report/shortened.hpp"
#include "report/wrapped.hpp"

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

std::string KernelNames::row(std::string_view cells, const std::string& name, std::string_view more) const {
  const std::string text = shown(name) + printable(std::string(more));
  return style_ == NameStyle::full ? std::string(cells) + text + "\n" : table_row(cells, text);
}

KernelNames names_of(const std::vector<KernelResult>& kernels, NameStyle style, size_t length) {
  return KernelNames::of_all(
      kernels, [](const KernelResult& kernel) { return kernel.name; }, style, length);
}

}  // namespace kjoule
