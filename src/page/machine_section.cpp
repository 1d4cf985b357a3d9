#include "page/machine_section.hpp"

#include <utility>

#include "base/text/printable.hpp"

namespace kjoule {

namespace {

using Terms = std::vector<std::pair<std::string, std::string>>;

/// Adds all values of an object, each with the names of the objects around it.
void add_values(const nlohmann::json& object, const std::string& path, Terms& terms) {
  for (const auto& [key, value] : object.items()) {
    if (key == "injection") continue;  // kjoule's own options of the library in the program
    const std::string name = path.empty() ? key : path + ", " + key;
    if (value.is_object())
      add_values(value, name, terms);
    else if (!value.is_null() && !value.empty() && value != "")
      terms.emplace_back(printable(name),
                         printable(value.is_string() ? value.get<std::string>() : value.dump()));
  }
}

}  // namespace

PageSection machine_section(const nlohmann::json& run, const std::vector<nlohmann::json>& meters) {
  PageSection section("machine", "Machine, versions and options");
  Terms terms;
  add_values(run, "", terms);
  for (const nlohmann::json& meter : meters) add_values(meter, "meter", terms);
  section.add_terms(terms);
  return section;
}

std::string page_subtitle(const nlohmann::json& run) {
  return "kjoule " + printable(run.value("kjoule", ""));
}

}  // namespace kjoule
