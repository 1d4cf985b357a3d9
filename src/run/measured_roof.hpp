#pragma once
#include <string>

#include "device/roof.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// What the device of `options` does at most with tensors of that type ("Half"), measured now by
/// kjoule-torch. Throws Error when it cannot be.
Roof measured_roof(const SubjectOptions& options, const std::string& type);

}  // namespace kjoule
