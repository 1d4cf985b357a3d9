#pragma once
#include <string>

#include "page/page.hpp"
#include "prediction/samples.hpp"

namespace kjoule {

/// Returns the page of the samples of an operator: its times and energies over its work, and all shapes.
Page samples_page(const std::string& title, const std::string& operation, const Samples& samples);

}  // namespace kjoule
