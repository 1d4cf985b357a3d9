#include "importers/imported_table.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/json/dump_json.hpp"

namespace kjoule {

namespace {

constexpr std::array<std::pair<IterationSource, const char*>, 6> kFrom = {
    {{IterationSource::profiler_steps, "ProfilerStep ranges"},
     {IterationSource::annotation, "annotation"},
     {IterationSource::period, "repeating launches"},
     {IterationSource::option, "--iterations"},
     {IterationSource::recording, "recording"},
     {IterationSource::table, "table"}}};

}  // namespace

Tier tier_of(ActivityKind kind) {
  return kind == ActivityKind::kernel ? Tier::unknown : Tier::cuda_runtime;
}

std::string signature_of(const ImportedKernel& kernel) {
  if (!kernel.recorded_signature.empty()) return kernel.recorded_signature;
  std::string text = kernel.name;
  if (kernel.grid) text += " grid " + extent_text(*kernel.grid);
  if (kernel.block) text += " block " + extent_text(*kernel.block);
  if (kernel.shared_bytes) text += fmt::format(" shared {} B", *kernel.shared_bytes);
  if (kernel.bytes) text += fmt::format(" {} B", *kernel.bytes);
  const LaunchingOperator& by = kernel.launched_by;
  if (!by.name.empty()) text += " by " + by.name;
  for (const nlohmann::json* part : {&by.input_dims, &by.input_strides, &by.input_types, &by.concrete_inputs})
    if (!part->is_null()) text += fmt::format(" {}", dump_json(*part));
  const GemmSizes& gemm = kernel.gemm;
  const auto add = [&](const char* size, const std::optional<int64_t>& value) {
    if (value) text += fmt::format(" {}={}", size, *value);
  };
  if (!gemm.stated()) return text;
  add("M", gemm.m);
  add("N", gemm.n);
  add("K", gemm.k);
  add("batch", gemm.batch);
  if (!gemm.dtype.empty()) text += " " + gemm.dtype;
  return text;
}

void require_timeline(const ImportedTable& table) {
  if (table.timeline.empty())
    throw Error(
        table.source + ": no timeline can be drawn, because the file contains no times of single launches",
        "use a trace of PyTorch's profiler, which contains them");
}

std::string iteration_source_text(IterationSource from) {
  for (const auto& [known, text] : kFrom)
    if (known == from) return text;
  return "unknown";
}

IterationSource parse_iteration_source(const std::string& text) {
  for (const auto& [known, known_text] : kFrom)
    if (text == known_text) return known;
  return IterationSource::unknown;
}

std::set<int64_t> ImportedTable::gpus() const {
  std::set<int64_t> numbers;
  for (const ImportedKernel& kernel : kernels)
    if (kernel.gpu) numbers.insert(*kernel.gpu);
  return numbers;
}

std::string ImportedTable::iterations_missing() const {
  if (iterations.known()) return {};
  const bool trace = format == kProfilerFormat || format == kXlaFormat || format == kNsysFormat;
  return fmt::format(
      "counts are of the whole {}: its number of iterations is unknown; set it with --iterations N{}",
      trace ? "trace" : "table", trace ? " or --annotation NAME" : "");
}

}  // namespace kjoule
