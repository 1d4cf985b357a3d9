#include "importers/torch_types.hpp"

#include <algorithm>
#include <initializer_list>

namespace kjoule {

namespace {

struct TorchType {
  std::string_view torch;
  bool is_floating;
  std::initializer_list<std::string_view> names;  ///< without namespaces
};

const TorchType kTorchTypes[] = {{"Float", true, {"float", "float32", "tf32"}},
                                 {"Double", true, {"double", "float64"}},
                                 {"Half", true, {"half_t", "float16"}},
                                 {"BFloat16", true, {"bfloat16_t", "bfloat16"}},
                                 {"Long", false, {"long", "long int"}},
                                 {"Int", false, {"int"}},
                                 {"Short", false, {"short", "short int"}},
                                 {"UInt16", false, {"unsigned short"}},
                                 {"Char", false, {"signed char"}},
                                 {"Byte", false, {"unsigned char"}},
                                 {"Bool", false, {"bool"}},
                                 {"ComplexFloat", false, {"complex<float>"}},
                                 {"ComplexDouble", false, {"complex<double>"}},
                                 {"Float8_e4m3fn", false, {}},
                                 {"Float8_e5m2", false, {}}};

}  // namespace

std::optional<std::string> torch_type_named(std::string_view name) {
  if (const size_t space = name.substr(0, name.find('<')).rfind("::"); space != std::string_view::npos)
    name.remove_prefix(space + 2);
  for (const TorchType& type : kTorchTypes)
    if (name == type.torch || std::ranges::find(type.names, name) != type.names.end())
      return std::string(type.torch);
  return {};
}

bool is_floating_type(std::string_view torch_type) {
  return std::ranges::any_of(
      kTorchTypes, [&](const TorchType& type) { return type.is_floating && type.torch == torch_type; });
}

}  // namespace kjoule
