#include "cuda/placed_copies.hpp"

namespace kjoule::driver {

PlacedCopies::PlacedCopies(const Stage& stage, const std::vector<LaunchIndex>& marked) {
  std::vector<uint64_t> words;
  for (const LaunchIndex launch : marked) {
    const PageCopies& copies = stage.write_sets->left_by(launch);
    left_[launch] = {words.size(), static_cast<unsigned>(copies.to.size())};
    const std::vector<uint64_t> its = copies.words();
    words.insert(words.end(), its.begin(), its.end());
  }
  buffer_ = uploaded(words);
}

void PlacedCopies::issue_left_by(const Stage& stage, LaunchIndex launch) const {
  const Place& place = left_.at(launch);
  stage.pages.copy(buffer_.address() + place.first * sizeof(uint64_t), place.copies, stage.capturing);
}

}  // namespace kjoule::driver
