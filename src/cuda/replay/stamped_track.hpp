#pragma once
#include "cuda/replay/gated_track.hpp"

namespace kjoule::cuda {

/// The track for StampedWork: launches in one unbroken chain, with stamps after some of them.
///
/// Launches in the iteration's order are followed by the missing launches of the last iteration and then by
/// the copies of the pages with a net change. Together these restore memory (MemoryState); the work may also
/// contain these copies after each iteration. Launches in another order may change any page, so all pages
/// that have images are restored after them.
class StampedTrack final : public GatedTrack {
 public:
  StampedTrack(const ReplayContext& context, const StampedWork& work);

 private:
  void issue_work(const StampedWork& work);
  void issue_place(size_t place) const;
  void issue_end(size_t launches) const;
  void finish_repeat() override;

  size_t length_;      ///< launches of an iteration, plus 1 if memory is restored after each
  size_t iterations_;  ///< including the last one, which may be incomplete in the work
  bool in_order_;
};

}  // namespace kjoule::cuda
