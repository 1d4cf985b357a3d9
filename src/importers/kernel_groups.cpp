#include "importers/kernel_groups.hpp"

#include <xxhash.h>

#include <tuple>
#include <unordered_map>

#include "base/files/json_cursor.hpp"
#include "base/json/parse_json.hpp"
#include "importers/omitted_lists.hpp"
#include "importers/table_limit.hpp"

namespace kjoule {

namespace {

uint64_t hash_of(std::string_view text, uint64_t seed) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

template <class... Numbers>
uint64_t hash_numbers(uint64_t seed, const Numbers&... numbers) {
  const int64_t all[] = {numbers...};
  return XXH3_64bits_withSeed(all, sizeof(all), seed);
}

/// Numbers objects from 0; equal objects have the same number.
template <class Thing, class Hash>
class Numbering {
 public:
  /// Returns the thing's number, and whether the thing is new.
  std::pair<uint32_t, bool> number(const Thing& thing) {
    const auto [at, is_new] = known_.try_emplace(thing, static_cast<uint32_t>(known_.size()));
    return {at->second, is_new};
  }

 private:
  std::unordered_map<Thing, uint32_t, Hash> known_;
};

struct Call {
  std::string_view name, dims, strides, types, concrete;
  bool operator==(const Call&) const = default;
};
struct CallHash {
  size_t operator()(const Call& call) const {
    uint64_t hash = hash_of(call.name, 0);
    for (const std::string_view part : {call.dims, call.strides, call.types, call.concrete})
      hash = hash_of(part, hash);
    return hash;
  }
};

/// A launch's signature. Fields that the trace lacks are -1.
struct Key {
  ActivityKind kind;
  uint32_t name = 0, call = 0;
  Extent grid{}, block{};
  int64_t shared_bytes = -1, bytes = -1;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& key) const {
    return hash_numbers(static_cast<uint64_t>(key.kind), int64_t{key.name}, int64_t{key.call}, key.grid[0],
                        key.grid[1], key.grid[2], key.block[0], key.block[1], key.block[2], key.shared_bytes,
                        key.bytes);
  }
};
struct TextHash {
  size_t operator()(std::string_view text) const { return hash_of(text, 0); }
};

nlohmann::json json_or_text(std::string_view raw) {
  if (raw.empty()) return {};
  nlohmann::json value = parse_json(raw, "the trace");
  // Inputs that are not valid JSON, such as NaN, stay text.
  return value.is_discarded() ? nlohmann::json(std::string(raw)) : value;
}

class Grouping {
 public:
  Grouping(const ProfilerTrace& trace, const LaunchLinks& links, const std::string& file)
      : trace_(trace), links_(links), call_of_(trace.operators.size(), kUnknown), size_(file) {}

  void add(uint32_t index) {
    const ProfilerOperation& operation = trace_.operations[index];
    constexpr Extent kNone = {-1, -1, -1};
    const Key key{operation.kind,
                  names_.number(operation.name).first,
                  call_number(links_.operator_index[index]),
                  operation.grid.value_or(kNone),
                  operation.block.value_or(kNone),
                  operation.shared_bytes.value_or(-1),
                  operation.bytes.value_or(-1)};
    const auto [kernel, is_new] = kernels_.number(key);
    if (is_new) add_kernel(operation, links_.operator_index[index]);
    groups_.kernel_of.push_back(kernel);
  }

  KernelGroups finish() { return std::move(groups_); }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  uint32_t call_number(std::optional<uint32_t> operator_index) {
    if (!operator_index) return kUnknown;
    uint32_t& number = call_of_[*operator_index];
    if (number == kUnknown) {
      const ProfilerOperator& op = trace_.operators[*operator_index];
      number =
          calls_.number({op.name, op.input_dims, op.input_strides, op.input_types, op.concrete_inputs}).first;
    }
    return number;
  }

  void add_kernel(const ProfilerOperation& operation, std::optional<uint32_t> operator_index) {
    size_t inputs = 0;
    if (operator_index) {
      const ProfilerOperator& op = trace_.operators[*operator_index];
      for (const std::string_view text :
           {op.name, op.input_dims, op.input_strides, op.input_types, op.concrete_inputs})
        inputs += text.size();
    }
    size_.add(operation.name.size(), inputs);
    groups_.kernels.push_back(make_kernel(operation, operator_index));
  }

  ImportedKernel make_kernel(const ProfilerOperation& operation,
                             std::optional<uint32_t> operator_index) const {
    ImportedKernel kernel;
    kernel.kind = operation.kind;
    kernel.name = json_text(operation.name);
    kernel.tier = tier_of(operation.kind);
    kernel.grid = operation.grid;
    kernel.block = operation.block;
    kernel.shared_bytes = operation.shared_bytes;
    kernel.bytes = operation.bytes;
    if (operator_index) {
      const ProfilerOperator& op = trace_.operators[*operator_index];
      kernel.launched_by = {
          json_text(op.name),           json_or_text(op.input_dims),      json_or_text(op.input_strides),
          json_or_text(op.input_types), json_or_text(op.concrete_inputs), {}};
      restore_omitted_lists(trace_, *operator_index, kernel.launched_by);
    }
    return kernel;
  }

  const ProfilerTrace& trace_;
  const LaunchLinks& links_;
  Numbering<std::string_view, TextHash> names_;
  Numbering<Call, CallHash> calls_;
  std::vector<uint32_t> call_of_;  ///< for each operator, the number of its call in calls_
  Numbering<Key, KeyHash> kernels_;
  TableSize size_;
  KernelGroups groups_;
};

}  // namespace

KernelGroups group_kernels(const ProfilerTrace& trace, const LaunchLinks& links,
                           const std::vector<uint32_t>& operations, const std::string& file) {
  Grouping grouping(trace, links, file);
  for (const uint32_t operation : operations) grouping.add(operation);
  return grouping.finish();
}

}  // namespace kjoule
