#pragma once
#include <string>

#include "base/process/library.hpp"
#include "nccl/nccl_types.hpp"

namespace kjoule::nccl {

/// The functions of NCCL, which is loaded at run time.
class Nccl {
 public:
  /// Loads the file that KJOULE_NCCL names, otherwise libnccl.so.2. Throws Error if it cannot be loaded, is
  /// older than 2.10, or lacks a function.
  Nccl();

  /// Returns the version as NCCL states it: 22703 for 2.27.3.
  int version() const { return version_; }
  const std::string& file() const { return library_.name(); }
  /// Returns whether the library is the stand-in of kjoule's tests.
  bool is_stand_in() const;
  /// Throws Error if a call of NCCL failed. `what` begins the message: "rank 1 could not join".
  void check(Result result, const std::string& what) const;

  GetUniqueId* get_unique_id = nullptr;
  CommInitRank* comm_init_rank = nullptr;
  Group* group_start = nullptr;
  Group* group_end = nullptr;
  AllReduce* all_reduce = nullptr;
  AllGather* all_gather = nullptr;
  ReduceScatter* reduce_scatter = nullptr;
  Broadcast* broadcast = nullptr;
  Send* send = nullptr;
  Receive* receive = nullptr;

 private:
  template <class Function>
  void load(Function*& function, const char* name);

  Library library_;
  GetErrorString* get_error_string_ = nullptr;
  int version_ = 0;
};

}  // namespace kjoule::nccl
