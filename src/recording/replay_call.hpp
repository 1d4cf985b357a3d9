#pragma once
// The calls that can launch a kernel again, as kjoule, kjoule-torch and kjoule-blas exchange them.
// recording/call_ranges finds the launches that such calls made; importers/replay_plan makes the calls for
// the kernels of a table.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/json/json_fields.hpp"
#include "recording/matrix_product.hpp"
#include "recording/operator_call.hpp"

namespace kjoule {

/// A copy of `bytes` bytes by the CUDA runtime.
struct MemoryCopy {
  int64_t bytes = 0;
  bool from_host = false, to_host = false;
  bool pinned = false;  ///< whether the memory on the host is pinned (page-locked)
  bool operator==(const MemoryCopy&) const = default;
};

/// A memset of `bytes` bytes by the CUDA runtime.
struct MemorySet {
  int64_t bytes = 0;
  bool operator==(const MemorySet&) const = default;
};

/// A call by which kjoule launches a kernel again without the program: the call of an operator, a copy, a
/// memset, or a matrix product by cuBLAS.
using ReplayCall = std::variant<OperatorCall, MemoryCopy, MemorySet, MatrixProduct>;

template <class Fields>
void describe(Fields& fields, MemoryCopy& copy) {
  fields("bytes", copy.bytes);
  fields("from_host", copy.from_host);
  fields("to_host", copy.to_host);
  fields("pinned", copy.pinned);
}
template <class Fields>
void describe(Fields& fields, MemorySet& set) {
  fields("bytes", set.bytes);
}
/// Converts a call to and from JSON: {"operator": "aten::addmm", "arguments": [..]}, {"copy": {..}}, {"set":
/// {..}} or {"product": {..}}.
void describe(FieldWriter& fields, ReplayCall& call);
void describe(FieldReader& fields, ReplayCall& call);

/// Returns the operator's name ("aten::addmm"), "memcpy HtoD" (also HtoH, DtoH, DtoD), "memset", or for a
/// matrix product its sizes: "cuBLAS 5x3072x1024 float16".
std::string call_name(const ReplayCall& call);

/// Returns the bytes of one element of a tensor of libtorch's type `dtype` ("Half"); no value if the type is
/// not known.
std::optional<int64_t> tensor_element_bytes(const std::string& dtype);

/// Returns the approximate memory that a call needs, in bytes: the size of an operator's input tensors, twice
/// the size of a copy, the size of a memset, or the size of the matrices of a product.
int64_t bytes_of(const ReplayCall& call);

/// Returns the indices of the calls to omit so that all remaining calls together need at most `memory_bytes`
/// bytes. The calls that need the most memory are omitted first.
std::set<size_t> calls_to_omit(const std::vector<ReplayCall>& calls, double memory_bytes);

/// Returns a call as one line of JSON. Equal calls have equal lines.
std::string call_line(const ReplayCall& call);

}  // namespace kjoule
