#include "torch/gloo_group.hpp"

#define USE_C10D_GLOO  // torch's headers declare the group only with it; its libraries contain it
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <chrono>
#include <utility>

#include "base/error.hpp"
#include "torch/failure.hpp"

namespace kjoule::runner {

namespace {

constexpr const char* kDefaultGroup = "0";
/// Longest wait for another rank, which does the same work at the same time.
constexpr auto kRankPatience = std::chrono::seconds(60);

/// A backend whose collectives return when they are complete.
class CompletedCollectives final : public c10d::Backend {
 public:
  CompletedCollectives(c10::intrusive_ptr<c10d::Backend> backend, const RankOfModel& rank)
      : Backend(rank.rank, rank.ranks), backend_(std::move(backend)) {}
  const std::string getBackendName() const override { return backend_->getBackendName(); }
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override {
    return completed(backend_->allreduce(tensors, options));
  }
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override {
    return completed(backend_->broadcast(tensors, options));
  }
  c10::intrusive_ptr<c10d::Work> _allgather_base(at::Tensor& output, at::Tensor& input,
                                                 const c10d::AllgatherOptions& options) override {
    return completed(backend_->_allgather_base(output, input, options));
  }
  c10::intrusive_ptr<c10d::Work> _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                                      const c10d::ReduceScatterOptions& options) override {
    return completed(backend_->_reduce_scatter_base(output, input, options));
  }
  c10::intrusive_ptr<c10d::Work> alltoall_base(at::Tensor& output, at::Tensor& input,
                                               std::vector<int64_t>& output_sizes,
                                               std::vector<int64_t>& input_sizes,
                                               const c10d::AllToAllOptions& options) override {
    return completed(backend_->alltoall_base(output, input, output_sizes, input_sizes, options));
  }

 private:
  static c10::intrusive_ptr<c10d::Work> completed(c10::intrusive_ptr<c10d::Work> work) {
    work->wait();
    return work;
  }

  c10::intrusive_ptr<c10d::Backend> backend_;
};

c10::intrusive_ptr<c10d::ProcessGroup> join(const RankOfModel& rank) {
  const auto store = c10::make_intrusive<c10d::FileStore>(rank.meeting_file, rank.ranks);
  const auto options = c10d::ProcessGroupGloo::Options::create(kRankPatience);
  options->devices.push_back(c10d::ProcessGroupGloo::createDefaultDevice());
  const auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank.rank, rank.ranks, options);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank.rank, rank.ranks);
  const auto type = c10d::ProcessGroup::BackendType::GLOO;
  group->setBackend(c10::DeviceType::CPU, type, c10::make_intrusive<CompletedCollectives>(gloo, rank));
  group->setDefaultBackend(type);
  group->setGroupName(kDefaultGroup);
  return group;
}

}  // namespace

struct GlooGroup::Group {
  c10::intrusive_ptr<c10d::ProcessGroup> joined;
};

GlooGroup::GlooGroup(const RankOfModel& rank) {
  try {
    group_ = std::make_unique<Group>(Group{join(rank)});
    c10d::register_process_group(kDefaultGroup, group_->joined);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error("the ranks of the model cannot communicate by gloo: " + reason(error),
                "check that this machine can open TCP connections to itself");
  }
}

GlooGroup::~GlooGroup() {
  c10d::unregister_process_group(kDefaultGroup);
}

}  // namespace kjoule::runner
