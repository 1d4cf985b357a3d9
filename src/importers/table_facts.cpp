#include "importers/table_facts.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "names/capture_pattern.hpp"
#include "names/plain_name.hpp"

namespace kjoule {

namespace {

/// The launches of a kernel that computes rows (layer norm) or blocks of elements (addition).
struct TypedLaunches {
  std::string type;    ///< data type of its tensors
  int64_t number = 0;  ///< number of rows or of blocks per launch
  uint64_t launches = 0;
};

/// Returns the captures of `pattern` in a kernel's name. Only names that contain `word` are examined, to save
/// time.
std::optional<Captures> captures_in(const ImportedKernel& kernel, const char* word,
                                    const CapturePattern& pattern) {
  if (kernel.name.find(word) == std::string::npos) return {};
  return pattern.match(PlainName(kernel.name).text);
}

/// Returns the elements that a thread of an elementwise kernel computes: 8 (libtorch 2.7 and later) if a
/// kernel of the table accesses 8 elements at once or has this number as a template argument; otherwise 4.
int per_thread_of(const ImportedTable& table) {
  static const CapturePattern kVectorized("vectorized_elementwise_kernel<8, *");
  static const CapturePattern kUnrolled("unrolled_elementwise_kernel<${f}, ${a}, %{u}, *");
  for (const ImportedKernel& kernel : table.kernels)
    if (captures_in(kernel, "vectorized_elementwise", kVectorized) ||
        captures_in(kernel, "unrolled_elementwise", kUnrolled))
      return 8;
  return 4;
}

/// Returns the K of most matrix products (by launches) that the table states; nothing if it states none.
std::optional<int64_t> stated_width(const ImportedTable& table) {
  std::map<int64_t, uint64_t> launches;
  for (const ImportedKernel& kernel : table.kernels)
    if (kernel.gemm.k) launches[*kernel.gemm.k] += kernel.launches;
  const auto most = std::ranges::max_element(launches, {}, [](const auto& size) { return size.second; });
  return most == launches.end() ? std::nullopt : std::optional(most->first);
}

/// Returns the launches of the kernels that the pattern matches; it captures their data type as `t`. In a
/// long table, only the 300 kernels with the most launches count.
std::vector<TypedLaunches> launches_of(const ImportedTable& table, const char* word,
                                       const CapturePattern& pattern) {
  constexpr size_t kMost = 300;
  std::vector<TypedLaunches> found;
  for (const ImportedKernel& kernel : table.kernels)
    if (const auto captures = kernel.grid ? captures_in(kernel, word, pattern) : std::nullopt)
      found.push_back({captures->at("t"), (*kernel.grid)[0], kernel.launches});
  std::ranges::stable_sort(found, std::greater{}, &TypedLaunches::launches);
  found.resize(std::min(found.size(), kMost));
  return found;
}

/// Returns the number in the range (above, at_most] that is the multiple of the largest power of two. Returns
/// nothing if the range has no multiple of 4: layer norms that access 4 elements at once need one.
std::optional<int64_t> roundest(int64_t above, int64_t at_most) {
  for (int64_t step = int64_t{1} << 30; step >= 4; step /= 2)
    if (const int64_t last = at_most / step * step; last > above) return last;
  return {};
}

/// Returns the length of a row at which the rows of the layer norms need as many blocks as the additions
/// have.
std::optional<int64_t> width_of_additions(const ImportedTable& table, int per_thread) {
  static const CapturePattern kNorm("vectorized_layer_norm_kernel<${t}, *");
  static const CapturePattern kAdd("vectorized_elementwise_kernel<%{v}, CUDAFunctor_add<${t}>, *");
  constexpr int64_t kThreads = 128;                  // of a block of libtorch's elementwise kernels
  constexpr int64_t kFewestBlocks = 4;               // so that one block is at most a quarter
  constexpr int64_t kMostBlocks = int64_t{1} << 31;  // of a grid
  std::optional<int64_t> width;
  uint64_t most = 0;
  const auto additions = launches_of(table, "CUDAFunctor_add", kAdd);
  for (const TypedLaunches& norm : launches_of(table, "vectorized_layer_norm", kNorm))
    for (const TypedLaunches& add : additions) {
      const uint64_t launches = std::min(norm.launches, add.launches);
      if (add.type != norm.type || launches <= most || norm.number < 1 || add.number < kFewestBlocks ||
          add.number > kMostBlocks)
        continue;
      const int64_t elements = add.number * kThreads * per_thread;
      const auto found = roundest((elements - kThreads * per_thread) / norm.number, elements / norm.number);
      if (!found) continue;
      width = found;
      most = launches;
    }
  return width;
}

/// Returns the GPU's number of multiprocessors, from the grid of libtorch's concatenations, which have two
/// blocks for each; nothing if the table contains no concatenation.
std::optional<int64_t> multiprocessors_of(const ImportedTable& table) {
  static const CapturePattern kConcatenation("CatArrayBatchedCopy<*");
  constexpr int64_t kMost = 1024;
  for (const ImportedKernel& kernel : table.kernels)
    if (kernel.grid && captures_in(kernel, "CatArrayBatchedCopy<", kConcatenation))
      if (const int64_t blocks = (*kernel.grid)[0]; blocks >= 2 && blocks <= 2 * kMost) return blocks / 2;
  return {};
}

/// Returns the elements of the longest scan of 8-byte integers by a policy of cub in which a thread scans 7
/// elements; nothing if the table has none. Every such scan follows a kernel whose own grid is too coarse.
std::optional<int64_t> scanned_elements(const ImportedTable& table) {
  static const CapturePattern kScan("DeviceScanKernel<DeviceScanPolicy<long>::Policy600, long*, long*, *");
  constexpr int64_t kPerThread = 7, kMostElements = int64_t{1} << 40;
  std::optional<int64_t> longest;
  for (const ImportedKernel& kernel : table.kernels) {
    if (!kernel.grid || !kernel.block || !captures_in(kernel, "DeviceScanKernel", kScan)) continue;
    int64_t elements = 0;
    if (!__builtin_mul_overflow((*kernel.grid)[0], (*kernel.block)[0] * kPerThread, &elements) &&
        elements <= kMostElements)
      longest = std::max(longest.value_or(0), elements);
  }
  return longest;
}

/// Returns whether a kernel belongs to the HIP runtime or a library of ROCm.
bool is_of_rocm(const std::string& name) {
  constexpr std::array<std::string_view, 9> kBegins = {
      "Cijk_", "__amd_rocclr_", "rocblas_", "MIOpen", "miopen", "ck::", "ck_tile::", "_ZN7ck_tile", "_ZN2ck"};
  const std::string_view plain = std::string_view(name).substr(name.starts_with("void ") ? 5 : 0);
  return std::ranges::any_of(kBegins, [&](std::string_view begin) { return plain.starts_with(begin); });
}

}  // namespace

TableFacts table_facts(const ImportedTable& table) {
  TableFacts facts;
  facts.is_of_amd = table.format.starts_with("rocprof") ||
                    std::ranges::any_of(table.kernels, is_of_rocm, &ImportedKernel::name);
  facts.per_thread = per_thread_of(table);
  facts.hidden = stated_width(table);
  if (!facts.hidden) facts.hidden = width_of_additions(table, facts.per_thread);
  facts.multiprocessors = multiprocessors_of(table).value_or(facts.multiprocessors);
  facts.scanned = scanned_elements(table);
  return facts;
}

}  // namespace kjoule
