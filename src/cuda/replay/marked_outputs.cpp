#include "cuda/replay/marked_outputs.hpp"

namespace kjoule::cuda {

MarkedOutputs::MarkedOutputs(const ReplayContext& context, const std::vector<LaunchIndex>& marked) {
  std::vector<uint64_t> words;
  for (const LaunchIndex launch : marked) {
    const PageCopies& copies = context.write_sets->outputs_of(launch);
    outputs_[launch] = {words.size(), static_cast<unsigned>(copies.to.size())};
    const std::vector<uint64_t> its = copies.words();
    words.insert(words.end(), its.begin(), its.end());
  }
  buffer_ = upload(words);
}

void MarkedOutputs::issue_outputs_of(const ReplayContext& context, LaunchIndex launch) const {
  const Place& place = outputs_.at(launch);
  context.pages.copy(buffer_.address() + place.first * sizeof(uint64_t), place.copies,
                     context.capture_stream);
}

}  // namespace kjoule::cuda
