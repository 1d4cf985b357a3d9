#include "cuda/watch/busiest_stream.hpp"

#include <algorithm>

namespace kjoule::cuda {

void BusiestStream::find(Stream stream) {
  last_ = stream;
  last_count_ = &counts_[stream];
}

void BusiestStream::remove(Stream stream) {
  counts_.erase(stream);
  last_count_ = nullptr;
}

BusiestStream::Stream BusiestStream::get() const {
  const auto busiest = std::max_element(counts_.begin(), counts_.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  return busiest == counts_.end() ? nullptr : busiest->first;
}

}  // namespace kjoule::cuda
