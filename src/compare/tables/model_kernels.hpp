#pragma once
// The kernels of a model as a table, which supplies operators and shapes to the table of a trace that lacks
// them.

#include "importers/imported_table.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Returns the kernels of one iteration of `options.model`, with the operators that launch them and their
/// shapes. They come from PyTorch's profiler on a GPU, and from kjoule's recorder on a CPU. Throws Error.
ImportedTable kernels_of_model(const SubjectOptions& options);

}  // namespace kjoule
