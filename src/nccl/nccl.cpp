#include "nccl/nccl.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/process/environment_variable.hpp"

namespace kjoule::nccl {

namespace {

constexpr int kOldestVersion = 21000;  // the first one with bfloat16 and these numbers of versions

Library open_nccl() {
  const std::string named = environment_variable("KJOULE_NCCL");
  auto library = Library::open(named.empty() ? std::vector<std::string>{"libnccl.so.2"} : std::vector{named});
  if (!library)
    throw Error(named.empty() ? "NCCL (libnccl.so.2) was not found"
                              : "NCCL cannot be loaded from KJOULE_NCCL=" + named,
                "install it (PyPI: nvidia-nccl-cu13), or name the library with KJOULE_NCCL=FILE");
  return std::move(*library);
}

}  // namespace

template <class Function>
void Nccl::load(Function*& function, const char* name) {
  function = library_.symbol<Function>(name);
  if (function == nullptr)
    throw Error(fmt::format("{} has no function {}", library_.name(), name), "install NCCL 2.10 or later");
}

Nccl::Nccl() : library_(open_nccl()) {
  GetVersion* get_version = nullptr;
  load(get_version, "ncclGetVersion");
  load(get_error_string_, "ncclGetErrorString");
  check(get_version(&version_), "NCCL does not state its version");
  if (version_ < kOldestVersion)
    throw Error(fmt::format("{} is too old: its version is {}", library_.name(), version_),
                "install NCCL 2.10 or later");
  load(get_unique_id, "ncclGetUniqueId");
  load(comm_init_rank, "ncclCommInitRank");
  load(group_start, "ncclGroupStart");
  load(group_end, "ncclGroupEnd");
  load(all_reduce, "ncclAllReduce");
  load(all_gather, "ncclAllGather");
  load(reduce_scatter, "ncclReduceScatter");
  load(broadcast, "ncclBroadcast");
  load(send, "ncclSend");
  load(receive, "ncclRecv");
}

bool Nccl::is_stand_in() const {
  return library_.symbol<void()>("kjoule_stand_in_for_nccl") != nullptr;
}

void Nccl::check(Result result, const std::string& what) const {
  if (result != kSuccess)
    throw Error(fmt::format("{}: NCCL reports: {}", what, get_error_string_(result)),
                "NCCL_DEBUG=WARN lets NCCL print the reason");
}

}  // namespace kjoule::nccl
