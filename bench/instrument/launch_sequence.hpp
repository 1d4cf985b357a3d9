// A pseudo-random sequence of launches that never repeats, for known_windows.cu.
//
// It is a series of decks. A deck contains every kind of kernel, in another order each time, so each kind
// occurs in every window of 230 launches, also with a tick after it. Windows of the sequence are not closed:
// a buffer of words holds indices or floats, launches that read indices are between others that overwrite
// them with floats, and floats are out of range as indices.
#pragma once
#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// Buffers of words that hold indices or floats, 4 MB each; of floats, 64 and 128 MB each.
constexpr int kWordBuffers = 6;
constexpr int kMediumBuffers = 3;
constexpr int kLargeBuffers = 3;

/// `words`, `medium` and `large` are the numbers of the buffers that the launch uses, and -1 where it uses
/// none of that size.
struct Launch {
  std::string kind;
  int words = -1;
  int output = -1;  // a second buffer of words, which it writes
  int medium = -1;
  int large = -1;
  bool host_waits = false;  // the host waits after this launch
};

class LaunchSequence {
 public:
  explicit LaunchSequence(unsigned seed) : random_(seed) {
    for (int i = 0; i < kWordBuffers; ++i) add({.kind = "fill<4>", .words = i});
    for (int i = 0; i < kMediumBuffers; ++i) add({.kind = "fill<64>", .medium = i});
    for (int i = 0; i < kLargeBuffers; ++i) add({.kind = "fill<128>", .large = i});
    add({.kind = "fill<1>"});
    for (int i = 0; i < kWordBuffers / 2; ++i) add(with_buffers("indices"));
    until_wait_ = drawn_distance();
  }

  Launch next() {
    if (pending_.empty()) add_deck();
    Launch launch = pending_.front();
    pending_.pop_front();
    return launch;
  }

 private:
  static constexpr int kTickAfter = 4;  // of a kind's launches, every fourth is followed by a tick

  void add(const Launch& launch) {
    pending_.push_back(launch);
    --until_wait_;
  }

  void add_deck() {
    static const std::vector<std::pair<std::string, int>> kDeck{
        {"tick", 2},         {"touch<1>", 5},      {"touch<4>", 5},       {"touch<64>", 4},
        {"average<128>", 3}, {"multiply<300>", 6}, {"multiply<4000>", 4}, {"multiply<80000>", 2},
        {"indices", 4},      {"fill<4>", 4},       {"permute", 3},        {"gather", 3},
        {"walk", 2},         {"reduce", 3}};
    std::vector<std::string> order;
    for (const auto& [kind, times] : kDeck) order.insert(order.end(), times, kind);
    for (size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[drawn(i + 1)]);
    for (const std::string& kind : order) {
      add(with_buffers(kind));
      if (met_[kind]++ % kTickAfter == 0) add({.kind = "tick"});
      if (until_wait_ <= 0) add_wait();
    }
  }

  /// A wait of the host, which reads a value back in every second case.
  void add_wait() {
    if (drawn(2) == 0) {
      add({.kind = "copy DtoH 4"});
      add({.kind = "tick"});
    }
    pending_.back().host_waits = true;
    until_wait_ = drawn_distance();
  }

  /// Chooses the buffers of a launch. At least one buffer of words holds indices, and at least one floats.
  Launch with_buffers(const std::string& kind) {
    Launch launch{.kind = kind};
    if (kind == "touch<1>" || kind == "touch<4>" || kind.rfind("multiply", 0) == 0)
      launch.words = drawn_words(false);
    if (kind == "permute" || kind == "walk" || kind == "gather") launch.words = drawn_words(true);
    if (kind == "gather") launch.output = drawn_words(false);
    if (kind == "indices") launch.words = overwritten(true);
    if (kind == "fill<4>") launch.words = overwritten(false);
    if (kind == "touch<64>" || kind == "gather" || kind == "reduce")
      launch.medium = static_cast<int>(drawn(kMediumBuffers));
    if (kind == "average<128>") launch.large = static_cast<int>(drawn(kLargeBuffers));
    return launch;
  }

  std::vector<int> buffers_with(bool indices) const {
    std::vector<int> found;
    for (int i = 0; i < kWordBuffers; ++i)
      if (holds_indices_[i] == indices) found.push_back(i);
    return found;
  }

  int drawn_words(bool indices) {
    const std::vector<int> found = buffers_with(indices);
    return found[drawn(found.size())];
  }

  /// Returns a buffer that gets indices, or floats: of those with the other contents if this leaves one of
  /// them.
  int overwritten(bool by_indices) {
    const int buffer = drawn_words(buffers_with(!by_indices).size() > 1 ? !by_indices : by_indices);
    holds_indices_[buffer] = by_indices;
    return buffer;
  }

  size_t drawn(size_t count) { return random_() % count; }
  int drawn_distance() { return 20 + static_cast<int>(drawn(181)); }

  std::mt19937 random_;
  std::deque<Launch> pending_;
  std::map<std::string, int> met_;
  bool holds_indices_[kWordBuffers] = {};
  int until_wait_ = 0;
};
