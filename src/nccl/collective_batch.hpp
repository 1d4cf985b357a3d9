#pragma once
#include <cuda.h>

#include <functional>

#include "nccl/rank_driver.hpp"

namespace kjoule::nccl {

/// Some equal collectives in succession, which can be run again and again.
class CollectiveBatch {
 public:
  explicit CollectiveBatch(int collectives) : collectives_(collectives) {}
  virtual ~CollectiveBatch() = default;
  CollectiveBatch(const CollectiveBatch&) = delete;
  CollectiveBatch& operator=(const CollectiveBatch&) = delete;

  int collectives() const { return collectives_; }
  /// Starts the collectives in the driver's stream, and returns at once. Throws Error if this fails.
  virtual void launch() = 0;
  /// Starts what must run before a timed launch(), so that the time does not contain the launching.
  virtual void lead() {}

 private:
  int collectives_;
};

/// Collectives that are launched one by one.
class LaunchedBatch final : public CollectiveBatch {
 public:
  /// `issue` launches one collective.
  LaunchedBatch(int collectives, std::function<void()> issue)
      : CollectiveBatch(collectives), issue_(std::move(issue)) {}
  void launch() override;

 private:
  std::function<void()> issue_;
};

/// Collectives in a CUDA graph, whose times do not contain the time of launching them one by one.
class GraphBatch final : public CollectiveBatch {
 public:
  /// Captures what `issue` launches. The driver must outlive the object. Throws Error if it cannot be
  /// captured.
  GraphBatch(int collectives, const std::function<void()>& issue, const RankDriver& driver);
  ~GraphBatch() override;
  void launch() override;
  /// Keeps the GPU busy with the same graph. On an idle GPU, a graph begins 10 to 40 us after the event
  /// before it.
  void lead() override { launch(); }

 private:
  const RankDriver& driver_;
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
};

}  // namespace kjoule::nccl
