#include "device/collective_operation.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace kjoule {

namespace {

double twice_the_others(int ranks) {
  return 2.0 * (ranks - 1) / ranks;
}
double the_others(int ranks) {
  return 1.0 * (ranks - 1) / ranks;
}
double one(int) {
  return 1;
}

}  // namespace

const std::vector<CollectiveOperation>& collective_operations() {
  static const std::vector<CollectiveOperation> all{
      {CollectiveKind::all_reduce, "all_reduce", "allreduce", false, true, twice_the_others, false},
      {CollectiveKind::all_gather, "all_gather", "allgather", true, true, the_others, true},
      {CollectiveKind::reduce_scatter, "reduce_scatter", "reducescatter", true, true, the_others, false},
      {CollectiveKind::broadcast, "broadcast", "broadcast", false, true, one, false},
      {CollectiveKind::all_to_all, "all_to_all", "alltoall", true, false, the_others, false},
      {CollectiveKind::send_receive, "send_receive", "p2p", false, false, one, false}};
  return all;
}

const CollectiveOperation& collective_operation(const std::string& name) {
  const auto& all = collective_operations();
  const auto found = std::ranges::find(all, name, &CollectiveOperation::name);
  if (found != all.end()) return *found;
  std::string names;
  for (const CollectiveOperation& operation : all) names += (names.empty() ? "" : ", ") + operation.name;
  throw UsageError(name + " is not a collective that kjoule measures", "choose one of " + names);
}

int64_t element_bytes(const std::string& precision) {
  if (precision == "fp32") return 4;
  if (precision == "fp16" || precision == "bf16") return 2;
  throw UsageError(precision + " is not a precision of collectives", "choose fp16, bf16 or fp32");
}

CollectiveSize collective_size(const CollectiveOperation& operation, const std::string& precision, int ranks,
                               int64_t bytes) {
  const int64_t parts = operation.has_parts ? ranks : 1;
  CollectiveSize size;
  size.part = bytes / (element_bytes(precision) * parts);
  size.all = size.part * parts;
  size.bytes = size.all * element_bytes(precision);
  return size;
}

}  // namespace kjoule
