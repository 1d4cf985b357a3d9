#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "page/page_section.hpp"

namespace kjoule {

/// Returns the section of the machine, versions and options of a run (Comparison::run), and of its meters.
PageSection machine_section(const nlohmann::json& run, const std::vector<nlohmann::json>& meters = {});

/// Returns the line below the title: the version of kjoule that measured the run.
std::string page_subtitle(const nlohmann::json& run);

}  // namespace kjoule
