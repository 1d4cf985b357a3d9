#pragma once
#include <cstdint>
#include <unordered_map>

namespace kjoule::inject {

/// The stream into which a program has issued most of its own kernels.
///
/// kjoule plays in it. On an H200 (driver 580) every launch of a process starts 0.18 us later, for good, once
/// some tens of kernels have been issued into a second stream; launches of graphs do not count
/// (docs/design/method.md, "Streams"). Playing in any other stream would do that to a program with one.
class BusiestStream {
 public:
  using Stream = const void*;

  /// A kernel, copy or memset was issued into the stream by itself, not as a part of a graph.
  void launched(Stream stream) {
    if (stream != last_ || last_count_ == nullptr) find(stream);
    ++*last_count_;
  }
  void destroyed(Stream stream);
  /// Null, the default stream, where nothing was launched.
  Stream get() const;

 private:
  void find(Stream stream);

  std::unordered_map<Stream, uint64_t> counts_;
  Stream last_ = nullptr;
  uint64_t* last_count_ = nullptr;  ///< in counts_, of last_
};

}  // namespace kjoule::inject
