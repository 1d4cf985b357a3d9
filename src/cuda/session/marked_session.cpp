#include "cuda/session/marked_session.hpp"

namespace kjoule::cuda {

MarkedSession::MarkedSession(std::string mark, std::unique_ptr<Session> marked,
                             std::unique_ptr<Session> unmarked)
    : mark_(std::move(mark)),
      marked_(std::move(marked)),
      unmarked_(std::move(unmarked)),
      current_(unmarked_.get()) {}

Step MarkedSession::next(const NextLaunch& launch) {
  const Step step = current_->next(launch);
  is_recording_ = step == Step::begin || step == Step::record;
  launches_ += launch.launches;
  return step;
}

/// Switches to the session for marked iterations, unless an iteration is already being recorded.
void MarkedSession::begin_range(std::string_view name, int64_t time_ns) {
  if (name == mark_ && !is_recording_) current_ = marked_.get();
  current_->begin_range(name, time_ns);
}

}  // namespace kjoule::cuda
