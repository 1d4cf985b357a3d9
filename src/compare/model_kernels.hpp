#pragma once
#include "importers/imported_table.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// The kernels of one iteration of `options.model` with the operators that launch them and their shapes: as
/// PyTorch's profiler tells them on a GPU, as kjoule records them on the CPU. Throws Error.
ImportedTable kernels_of_model(const SubjectOptions& options);

}  // namespace kjoule
