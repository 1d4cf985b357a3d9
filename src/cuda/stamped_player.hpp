#pragma once
#include "cuda/stamped_track.hpp"

namespace kjoule::driver {

/// Stamped work: the launches in one unbroken chain with stamps between some of them. Launches in the
/// iteration's order are followed by the rest of an iteration that they leave unfinished, so that it returns
/// the memory that it uses to its contents, and by the copies of the pages with a net change. Work that
/// leaves the order may change any page for good: all memory is restored after it.
class StampedPlayer final : public StampedTrack {
 public:
  StampedPlayer(const Stage& stage, const Stamped& work);

 private:
  void issue_work(const Stamped& work);
  void issue_end(size_t launches) const;
  void finish_repeat() override;

  bool in_order_;
};

}  // namespace kjoule::driver
