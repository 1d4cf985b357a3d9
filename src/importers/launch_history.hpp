#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace kjoule {

/// The last 2 million launches of a running program, 12 bytes each. Launches are numbered from 0 in the order
/// in which they were added; numbering continues when older launches are dropped. Memory pages are touched
/// only as launches are added.
class LaunchHistory {
 public:
  static constexpr uint64_t kCapacity = uint64_t{1} << 21;

  /// Adds a launch. `shape_hash` is a hash of the launch without its arguments and attributes; `arguments` is
  /// a hash of the exact argument bytes, 0 when unknown; `time_ns` is the host's time of the launch.
  void add(uint64_t shape_hash, uint64_t arguments, int64_t time_ns) {
    const uint64_t at = count_ & kMask;
    shape_hashes_[at] = short_hash(shape_hash);
    arguments_[at] = arguments == 0 ? 0 : (short_hash(arguments ^ (shape_hash << 1)) | 1);
    gaps_[at] = short_gap(time_ns - last_ns_);
    last_ns_ = time_ns;
    ++count_;
  }

  /// Returns the number that the next launch will have.
  uint64_t count() const { return count_; }
  /// Returns the number of the oldest launch that is kept.
  uint64_t oldest() const { return count_ > kCapacity ? count_ - kCapacity : 0; }
  uint32_t shape_hash(uint64_t number) const { return shape_hashes_[number & kMask]; }
  /// Returns a hash of the argument bytes, 0 when unknown.
  uint32_t arguments(uint64_t number) const { return arguments_[number & kMask]; }
  /// Returns the host's time since the previous launch in ns, limited to the range from 0 to 4.29e9. Returns
  /// 0 for the very first launch.
  uint32_t gap_ns(uint64_t number) const { return number == 0 ? 0 : gaps_[number & kMask]; }

 private:
  static constexpr uint64_t kMask = kCapacity - 1;
  /// Mixes a hash before shortening it, because callers' hashes may be weak in some of their bits.
  static uint32_t short_hash(uint64_t hash) {
    return static_cast<uint32_t>((hash * 0x9E3779B97F4A7C15u ^ hash >> 29) >> 32);
  }
  static uint32_t short_gap(int64_t gap_ns) {
    return gap_ns < 0 ? 0 : gap_ns > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(gap_ns);
  }
  static std::unique_ptr<uint32_t[]> ring() { return std::make_unique_for_overwrite<uint32_t[]>(kCapacity); }

  std::unique_ptr<uint32_t[]> shape_hashes_ = ring();
  std::unique_ptr<uint32_t[]> arguments_ = ring();
  std::unique_ptr<uint32_t[]> gaps_ = ring();
  uint64_t count_ = 0;
  int64_t last_ns_ = 0;
};

}  // namespace kjoule
