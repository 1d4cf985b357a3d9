#include "importers/supply_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "base/text/counted.hpp"
#include "importers/known_kernels.hpp"
#include "importers/table_facts.hpp"

namespace kjoule {

namespace {

std::string key_of(const ImportedKernel& kernel) {
  return fmt::format("{} {} {} {}", static_cast<int>(kernel.kind),
                     kernel.grid ? extent_text(*kernel.grid) : "",
                     kernel.block ? extent_text(*kernel.block) : "", kernel.name);
}

/// Returns the absolute logarithm of the ratio of two kernels' mean times; nothing if one of them has no
/// time.
std::optional<double> time_distance(const ImportedKernel& a, const ImportedKernel& b) {
  const auto one = a.mean_ns(), other = b.mean_ns();
  if (!one || !other || *one <= 0 || *other <= 0) return {};
  return std::abs(std::log(*one / *other));
}

/// Returns whether `candidate` matches `kernel` better than `best`: its mean time is nearer to the kernel's
/// or, without times, it has more launches.
bool is_nearer(const ImportedKernel& kernel, const ImportedKernel& candidate, const ImportedKernel& best) {
  const auto its = time_distance(kernel, candidate), best_is = time_distance(kernel, best);
  return its && best_is ? *its < *best_is : candidate.launches > best.launches;
}

/// Returns whether the recorded signatures permit a match. Only kjoule's recordings contain signatures. On a
/// CPU, kernels with different signatures differ, because a signature contains the operator and its
/// arguments. On a GPU, it also contains kernel parameters, which may differ in another run, so that any
/// signature matches.
bool may_agree(const ImportedKernel& kernel, const std::string& suppliers_signature) {
  return kernel.recorded_signature.empty() || suppliers_signature.empty() || kernel.grid ||
         kernel.recorded_signature == suppliers_signature;
}

bool may_agree(const std::optional<int64_t>& a, const std::optional<int64_t>& b) {
  return !a || !b || *a == *b;
}

/// Returns why no kernel of `like` matches a kernel of `table` that lacks shapes.
std::string explain_no_match(const ImportedTable& table, const ImportedTable& like) {
  std::set<std::string> names;
  bool operators = false;
  for (const ImportedKernel& kernel : like.kernels) {
    operators = operators || !kernel.launched_by.name.empty();
    if (kernel.launched_by.has_shapes()) names.insert(kernel.name);
  }
  if (names.empty())
    return operators ? "its operators have no shapes; profile(record_shapes=True) records them"
                     : "it contains no operators; profile(activities=[ProfilerActivity.CPU, ..], "
                       "record_shapes=True) records them";
  const auto named = [&](const ImportedKernel& kernel) {
    return !kernel.launched_by.has_shapes() && names.contains(kernel.name);
  };
  return std::any_of(table.kernels.begin(), table.kernels.end(), named)
             ? "its kernels of the same names have another grid, block or size"
             : "none of its kernels has the name of such a kernel";
}

/// Returns the end of a warning about the `without` kernels that still have no operator with shapes: how many
/// of them have a call that follows from name, grid or the stated matrix product. Empty if none has.
std::string inferred_text(const ImportedTable& table, size_t without) {
  const size_t unknown = count_without_call(table, table_facts(table));
  if (unknown >= without) return "";
  return fmt::format("; for {}, the call is inferred from name and grid",
                     counted(without - unknown, "kernel"));
}

}  // namespace

bool lacks_shapes(const ImportedTable& table) {
  return std::any_of(table.kernels.begin(), table.kernels.end(), [](const ImportedKernel& kernel) {
    return kernel.kind == ActivityKind::kernel && !kernel.launched_by.has_shapes();
  });
}

void supply_shapes(ImportedTable& table, const ImportedTable& like) {
  std::unordered_map<std::string, std::vector<const ImportedKernel*>> suppliers;
  for (const ImportedKernel& kernel : like.kernels)
    if (kernel.launched_by.has_shapes()) suppliers[key_of(kernel)].push_back(&kernel);
  size_t without = 0, supplied = 0, ambiguous = 0;
  for (ImportedKernel& kernel : table.kernels) {
    if (kernel.launched_by.has_shapes()) continue;
    ++without;
    const ImportedKernel* supplier = nullptr;
    bool several = false;
    for (const ImportedKernel* candidate : suppliers[key_of(kernel)]) {
      if (!may_agree(kernel.shared_bytes, candidate->shared_bytes) ||
          !may_agree(kernel.bytes, candidate->bytes) || !may_agree(kernel, candidate->recorded_signature))
        continue;
      several = several || (supplier != nullptr && !(supplier->launched_by == candidate->launched_by));
      if (supplier == nullptr || is_nearer(kernel, *candidate, *supplier)) supplier = candidate;
    }
    if (supplier == nullptr) continue;
    ambiguous += several ? 1 : 0;
    kernel.launched_by = supplier->launched_by;
    kernel.recorded_signature = supplier->recorded_signature;
    ++supplied;
  }
  std::erase_if(table.warnings,
                [](const std::string& line) { return line.find("--like TRACE") != std::string::npos; });
  if (without == 0) return;
  const std::string inferred = inferred_text(table, without - supplied);
  if (supplied == 0) {
    table.warnings.push_back(fmt::format("{} of {} {} no operator with shapes, and {} supplies none: {}{}",
                                         without, counted(table.kernels.size(), "kernel"),
                                         agreeing(without, "has", "have"), like.source,
                                         explain_no_match(table, like), inferred));
    return;
  }
  table.warnings.push_back(
      fmt::format("{} of {} had no operator with shapes: for {} of them, {} supplied one ({} {} kernels of "
                  "several shapes there; the one with the nearest mean time is used, or without times the "
                  "one with the most launches); {} {} no kernel there{}",
                  without, counted(table.kernels.size(), "kernel"), supplied, like.source, ambiguous,
                  agreeing(ambiguous, "matches", "match"), without - supplied,
                  agreeing(without - supplied, "matches", "match"), inferred));
}

}  // namespace kjoule
