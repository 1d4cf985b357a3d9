#pragma once
#include <memory>

#include "cuda/session/session.hpp"

namespace kjoule::cuda {

/// A session for programs that may mark their iterations with NVTX ranges of one name. The session `unmarked`
/// decides until the first of these ranges begins, and the session `marked` afterwards.
class MarkedSession final : public Session {
 public:
  MarkedSession(std::string mark, std::unique_ptr<Session> marked, std::unique_ptr<Session> unmarked);
  Step next(const NextLaunch& launch) override;
  bool needs_time() const override { return current_->needs_time(); }
  bool is_timing() const override { return current_->is_timing(); }
  bool has_found() const override { return current_->has_found(); }
  void wait_for_device() override { current_->wait_for_device(); }
  void begin_range(std::string_view name, int64_t time_ns) override;
  bool end_range(std::string_view name, int64_t time_ns) override {
    return current_->end_range(name, time_ns);
  }
  bool is_complete() const override { return current_->is_complete(); }
  bool may_end() const override { return current_->may_end(); }
  WindowEdges edges() const override { return current_->edges(); }
  bool can_record_next() const override { return current_->can_record_next(); }
  void record_next() override { current_->record_next(); }
  bool search_again() override { return current_->search_again(); }
  bool is_shared() const override { return current_->is_shared(); }
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed_iterations() const override { return current_->passed_iterations(); }
  bool runs_ahead() const override { return current_->runs_ahead(); }
  std::string describe_iteration() const override { return current_->describe_iteration(); }
  std::optional<IterationPosition> loop() const override { return current_->loop(); }
  std::string best_guess() const override { return current_->best_guess(); }

 private:
  std::string mark_;
  std::unique_ptr<Session> marked_, unmarked_;
  Session* current_;
  uint64_t launches_ = 0;
  bool is_recording_ = false;
};

}  // namespace kjoule::cuda
