#include "cuda/placed_copies.hpp"

namespace kjoule::driver {

PlacedCopies::PlacedCopies(const Stage& stage, const std::vector<LaunchIndex>& marked) {
  std::vector<uint64_t> words;
  const auto append = [&](const PageCopies& copies) {
    const Place place{words.size(), static_cast<unsigned>(copies.to.size())};
    const std::vector<uint64_t> its = copies.words();
    words.insert(words.end(), its.begin(), its.end());
    return place;
  };
  restore_ = append(stage.state->restore());
  for (const LaunchIndex launch : marked) left_[launch] = append(stage.write_sets->left_by(launch));
  buffer_ = uploaded(words);
}

void PlacedCopies::issue(const Stage& stage, const Place& place) const {
  stage.pages.copy(buffer_.address() + place.first * sizeof(uint64_t), place.copies, stage.capturing);
}

}  // namespace kjoule::driver
