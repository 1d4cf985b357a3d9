#include "importers/replay_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "importers/known_kernels.hpp"
#include "importers/profiled_call.hpp"
#include "importers/torch_types.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;

/// Largest number of bytes that an error shows of a text in the table.
constexpr size_t kMostShown = 40;

/// The sizes that the names, grids and blocks of kernels of these categories do not show.
constexpr std::array<std::pair<std::string_view, const char*>, 3> kUnknownSizes = {
    {{"gemm", "K of this matrix product is"},
     {"convolution", "the sizes of this convolution are"},
     {"attention", "the lengths of this attention's sequences are"}}};

constexpr const char* kOtherSource =
    "supply operators and shapes from another file with --like TRACE or --model M";

/// Returns the reason why the sizes of a kernel without an operator are not known; an empty text if no rule
/// contains a reason.
std::string why_sizes_are_unknown(const ImportedKernel& kernel, const KnownCall& inferred) {
  if (kernel.kind != ActivityKind::kernel || !kernel.launched_by.name.empty() || kernel.gemm.stated() ||
      !kernel.recorded_signature.empty())
    return {};
  if (!inferred.why_not.empty()) return Error(inferred.why_not, kOtherSource).line();
  for (const auto& [category, sizes] : kUnknownSizes)
    if (kernel.category == category)
      return Error(fmt::format("{} in neither its name nor its grid", sizes),
                   category == "gemm" ? fmt::format("add M, N and K to its row, or {}", kOtherSource)
                                      : kOtherSource)
          .line();
  return {};
}

/// Returns the floating-point type that most tensors have, or null if no tensor has one.
Json usual_type(const std::vector<ReplayCall>& calls) {
  std::map<std::string, int> counts;
  for (const ReplayCall& call : calls)
    if (const auto* op = std::get_if<OperatorCall>(&call))
      for_each_tensor(op->arguments, [&](const Json& tensor) {
        const Json type = tensor.value("dtype", Json());
        if (type.is_string() && is_floating_type(type.get<std::string>())) ++counts[type.get<std::string>()];
      });
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? Json() : Json(most->first);
}

void set_unknown_types(ReplayCall& call, const Json& type) {
  auto* op = std::get_if<OperatorCall>(&call);
  if (op == nullptr || type.is_null()) return;
  for_each_tensor(op->arguments, [&](Json& tensor) {
    if (tensor.value("dtype", Json()).is_null()) tensor["dtype"] = type;
  });
}

Json type_by_name(const ImportedKernel& kernel) {
  const auto type = torch_type_named(kernel.dtype);
  return type ? Json(*type) : Json();
}

/// Returns the copy for a name such as "Memcpy HtoD (Pageable -> Device)" or "memcpy DtoD".
MemoryCopy copy_of(const ImportedKernel& kernel) {
  const size_t to = kernel.name.find("to");
  if (to == std::string::npos || to == 0 || to + 2 >= kernel.name.size())
    throw Error(fmt::format("the name \"{}\" does not contain the direction of the copy", kernel.name),
                "name it memcpy HtoD, DtoH or DtoD");
  return {*kernel.bytes, kernel.name[to - 1] == 'H', kernel.name[to + 2] == 'H',
          kernel.name.find("Pinned") != std::string::npos};
}

/// Returns the matrix product of a row, with the kernel that should compute it if `is_kernel`. Throws Error
/// if a size or the data type is missing.
MatrixProduct product_of(const ImportedKernel& kernel, bool is_kernel) {
  const GemmSizes& sizes = kernel.gemm;
  std::string missing;
  for (const auto& [name, size] : {std::pair("M", sizes.m), std::pair("N", sizes.n), std::pair("K", sizes.k)})
    if (!size) missing += fmt::format("{}{}", missing.empty() ? "" : " and ", name);
  if (!missing.empty())
    throw Error("the table states sizes of this matrix product, but not " + missing,
                "add M, N and K to its row");
  const std::string stated = sizes.dtype.empty() ? kernel.dtype : sizes.dtype;
  const auto type = matrix_type_named(stated);
  const std::string types = fmt::format("add dtype to its row: {}", fmt::join(kMatrixTypes, ", "));
  if (stated.empty())
    throw Error("neither the table nor the kernel's name states the type of its matrices", types);
  if (!type)
    throw Error(
        fmt::format("\"{}\" is not a type of matrices that kjoule multiplies", stated.substr(0, kMostShown)),
        types);
  MatrixProduct product{*sizes.m, *sizes.n, *sizes.k, sizes.batch.value_or(1), *type, {}, {}, {}};
  if (!is_kernel) return product;
  product.kernel = kernel.name;
  product.grid = kernel.grid;
  product.block = kernel.block;
  return product;
}

/// Returns the Error for a kernel without an operator of which the table states the recorded signature.
/// Recordings of a GPU contain no operators.
Error error_of_recorded(const ImportedTable& table) {
  if (table.format == kRecordingFormat)
    return Error("the recording does not contain the operator that launched it", kOtherSource);
  return Error(
      "the file does not contain the inputs of the operator that launched it",
      fmt::format("pass the recording itself if the file is a list of its kernels, or {}", kOtherSource));
}

ReplayCall call_of(const ImportedTable& table, const ImportedKernel& kernel, bool is_kernel) {
  if (kernel.kind == ActivityKind::kernel) {
    if (kernel.gemm.stated() && !kernel.launched_by.has_shapes()) return product_of(kernel, is_kernel);
    if (kernel.launched_by.name.empty() && !kernel.recorded_signature.empty()) throw error_of_recorded(table);
    return make_operator_call(kernel.launched_by);
  }
  if (!kernel.bytes || *kernel.bytes <= 0)
    throw Error("the trace does not contain the number of bytes of this copy or memset",
                "use a trace of PyTorch 1.13 or later");
  if (kernel.kind == ActivityKind::memset) return MemorySet{*kernel.bytes};
  return copy_of(kernel);
}

}  // namespace

ReplayPlan make_replay_plan(const ImportedTable& table) {
  ReplayPlan plan;
  std::vector<std::optional<ReplayCall>> wanted;
  std::vector<ReplayCall> known;
  const TableFacts facts = table_facts(table);
  const bool are_kernels = !table.lists_products();
  for (const ImportedKernel& kernel : table.kernels) {
    ReplayPlan::Kernel& replay = plan.kernels.emplace_back();
    wanted.emplace_back();
    KnownCall inferred;
    if (!kernel.launched_by.has_shapes()) inferred = KnownKernels::bundled().call_of(kernel, facts);
    replay.is_inferred = inferred.call.has_value();
    wanted.back() = std::move(inferred.call);
    replay.why_not = why_sizes_are_unknown(kernel, inferred);
    if (replay.is_inferred || !replay.why_not.empty()) continue;
    try {
      wanted.back() = call_of(table, kernel, are_kernels);
      known.push_back(*wanted.back());
      set_unknown_types(*wanted.back(), type_by_name(kernel));
    } catch (const Error& error) {
      replay.why_not = error.remedy().empty() ? Error(error.what(), kOtherSource).line() : error.line();
    }
  }
  const Json usual = usual_type(known);
  std::map<std::string, size_t> places;
  for (size_t k = 0; k < wanted.size(); ++k) {
    if (!wanted[k]) continue;
    set_unknown_types(*wanted[k], usual);
    const auto [place, is_new] = places.emplace(call_line(*wanted[k]), plan.calls.size());
    if (is_new) plan.calls.push_back(std::move(*wanted[k]));
    plan.kernels[k].call = place->second;
  }
  return plan;
}

}  // namespace kjoule
