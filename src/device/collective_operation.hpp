#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kjoule {

/// What a collective does with the data of its ranks.
enum class CollectiveKind { all_reduce, all_gather, reduce_scatter, broadcast, all_to_all, send_receive };

/// An operation of NCCL that kjoule measures.
struct CollectiveOperation {
  CollectiveKind kind;
  std::string name;        ///< on the command line and in rows: "all_reduce"
  std::string table_name;  ///< in the names of files, as other tools write them: "allreduce"
  /// Whether the data of a rank consist of one part for each rank. NCCL is passed the size of a part.
  bool has_parts;
  /// Whether the result can replace the data that are passed.
  bool has_in_place;
  /// Factor of the bus bandwidth for `ranks` ranks, by the definition of nccl-tests.
  double (*bus_factor)(int ranks);
  /// Whether the tables of other tools state the elements of one part instead of those of all parts.
  bool states_part;

  /// Returns whether a rank sends or receives anything. The first rank sends its message to the last one, so
  /// the others only wait.
  bool takes_part(int rank, int ranks) const {
    return kind != CollectiveKind::send_receive || rank == 0 || rank == ranks - 1;
  }
};

/// Returns all operations, in the order of the help.
const std::vector<CollectiveOperation>& collective_operations();
/// Returns the operation of that name. Throws Error with the known names for an unknown one.
const CollectiveOperation& collective_operation(const std::string& name);

/// Returns the bytes of an element: "fp16", "bf16" or "fp32". Throws Error for another precision.
int64_t element_bytes(const std::string& precision);

/// The size of a collective for a number of ranks.
struct CollectiveSize {
  int64_t part = 0;   ///< elements that NCCL is passed
  int64_t all = 0;    ///< elements of the operation's size: those of all parts, or of a rank
  int64_t bytes = 0;  ///< size by the definition of nccl-tests
};
/// Returns the largest size of at most `bytes` bytes that the operation can have. It has no elements if a
/// part would be empty.
CollectiveSize collective_size(const CollectiveOperation& operation, const std::string& precision, int ranks,
                               int64_t bytes);

}  // namespace kjoule
