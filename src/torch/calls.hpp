#pragma once
#include <string>

#include "torch/model.hpp"

namespace kjoule::child {

/// Calls of operators, copies and memsets out of a file (kjoule's calls_text), an iteration of which makes
/// each once, in order, on data of its own. Around each and around all of them stand the ranges of their
/// names. Throws Error naming the first that cannot be made.
std::unique_ptr<Model> open_calls(const std::string& file, c10::Device device);

/// Makes each call once, from number `first` on, and prints a line of JSON for each: {"call": 0, "operator":
/// "aten::add.Tensor"}, or {"call": 0, "why": "..."} for one that cannot be made. Before a call it prints
/// {"tries": 0}: a process that ends there was ended by that call. Ends the process behind a call that leaves
/// the device unusable.
void try_calls(const std::string& file, c10::Device device, size_t first);

}  // namespace kjoule::child
