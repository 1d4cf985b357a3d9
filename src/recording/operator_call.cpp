#include "recording/operator_call.hpp"

#include <utility>

namespace kjoule {

nlohmann::json arguments_without_identities(const nlohmann::json& recorded) {
  if (recorded.is_array()) {
    nlohmann::json list = nlohmann::json::array();
    for (const nlohmann::json& value : recorded) list.push_back(arguments_without_identities(value));
    return list;
  }
  if (!recorded.is_object() || !recorded.contains("tensor")) return recorded;
  nlohmann::json tensor = recorded.at("tensor");
  for (const char* identity : {"value", "storage", "offset"}) tensor.erase(identity);
  return {{"tensor", std::move(tensor)}};
}

}  // namespace kjoule
