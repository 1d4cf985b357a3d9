#pragma once
#include <cstdint>
#include <unordered_map>

namespace kjoule::cuda {

/// Finds the stream into which a program has issued most of its own kernels.
///
/// kjoule replays in this stream. On an H200 (driver 580), once some tens of kernels have been issued into a
/// second stream, every launch of the process starts 0.18 us later, permanently; launches of graphs do not
/// have this effect (docs/design/method.md, "Streams"). Replaying in a second stream would therefore slow
/// down a program that uses only one stream.
class BusiestStream {
 public:
  using Stream = const void*;

  /// Counts a kernel, copy or memset that was issued into the stream. Nodes of graphs must not be counted.
  void count_launch(Stream stream) {
    if (stream != last_ || last_count_ == nullptr) find(stream);
    ++*last_count_;
  }
  /// Forgets a stream that the program has destroyed.
  void remove(Stream stream);
  /// Returns the stream; null (the default stream) if nothing was launched.
  Stream get() const;

 private:
  void find(Stream stream);

  std::unordered_map<Stream, uint64_t> counts_;
  Stream last_ = nullptr;
  uint64_t* last_count_ = nullptr;  ///< element of counts_ for last_
};

}  // namespace kjoule::cuda
