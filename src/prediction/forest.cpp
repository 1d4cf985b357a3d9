#include "prediction/forest.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace kjoule {

namespace {

/// The rows of a node: the interval [begin, end) of each of Grower's lists. There is one list per feature, in
/// ascending order of the feature.
struct Span {
  size_t begin, end;
  int depth;
  int32_t node;
};

struct Split {
  int32_t feature = -1;
  float threshold = 0;
  double gain = 0;  ///< reduction of the squared error
};

class Grower {
 public:
  Grower(const FeatureRows& rows, const std::vector<double>& targets, const ForestOptions& options)
      : rows_(rows),
        targets_(targets),
        options_(options),
        ascending_(rows.width),
        goes_left_(targets.size()) {
    for (size_t f = 0; f < rows.width; ++f) {
      ascending_[f].resize(targets.size());
      std::iota(ascending_[f].begin(), ascending_[f].end(), uint32_t{0});
      std::stable_sort(ascending_[f].begin(), ascending_[f].end(),
                       [&](uint32_t a, uint32_t b) { return value(a, f) < value(b, f); });
    }
  }

  /// Grows one tree, in which row r occurs times[r] times.
  std::vector<Trees::Node> grow(const std::vector<int>& times) {
    times_ = &times;
    lists_ = ascending_;
    for (auto& list : lists_) std::erase_if(list, [&](uint32_t r) { return times[r] == 0; });
    std::vector<Trees::Node> nodes(1);
    std::vector<Span> open{{0, lists_.front().size(), 0, 0}};
    while (!open.empty()) {
      const Span span = open.back();
      open.pop_back();
      const Split split = best(span);
      auto& node = nodes[static_cast<size_t>(span.node)];
      if (split.feature < 0) {
        node = {-1, leaf(span), {-1, -1}};
        continue;
      }
      const size_t middle = divide(span, split);
      const auto left = static_cast<int32_t>(nodes.size());
      node = {split.feature, split.threshold, {left, left + 1}};
      nodes.resize(nodes.size() + 2);
      open.push_back({middle, span.end, span.depth + 1, left + 1});
      open.push_back({span.begin, middle, span.depth + 1, left});
    }
    return nodes;
  }

 private:
  float value(uint32_t row, size_t feature) const { return rows_.row(row)[feature]; }
  double weight(uint32_t row) const { return (*times_)[row]; }

  std::pair<double, double> weight_and_sum(const Span& span) const {
    double weights = 0, sum = 0;
    for (size_t i = span.begin; i < span.end; ++i) {
      const uint32_t row = lists_.front()[i];
      weights += weight(row);
      sum += weight(row) * targets_[row];
    }
    return {weights, sum};
  }

  float leaf(const Span& span) const {
    const auto [weights, sum] = weight_and_sum(span);
    return static_cast<float>(sum / weights / options_.n_estimators);
  }

  Split best(const Span& span) const {
    Split best;
    const size_t count = span.end - span.begin;
    if (count < static_cast<size_t>(options_.min_samples_split) ||
        (options_.max_depth && span.depth >= *options_.max_depth))
      return best;
    const auto [weights, sum] = weight_and_sum(span);
    const auto least = static_cast<size_t>(options_.min_samples_leaf);
    best.gain = 1e-9 * sum * sum / weights;
    for (size_t f = 0; f < rows_.width; ++f) {
      double left_weights = 0, left_sum = 0;
      for (size_t i = span.begin; i + 1 < span.end; ++i) {
        const uint32_t row = lists_[f][i];
        left_weights += weight(row);
        left_sum += weight(row) * targets_[row];
        const float here = value(row, f), next = value(lists_[f][i + 1], f);
        if (here == next || i + 1 - span.begin < least || span.end - i - 1 < least) continue;
        const double right_sum = sum - left_sum;
        const double gain = left_sum * left_sum / left_weights +
                            right_sum * right_sum / (weights - left_weights) - sum * sum / weights;
        if (gain > best.gain) best = {static_cast<int32_t>(f), between(here, next), gain};
      }
    }
    return best;
  }

  /// Returns the midpoint, or `high` if the midpoint is rounded to `low`.
  static float between(float low, float high) {
    const float middle = low + (high - low) / 2;
    return middle > low ? middle : high;
  }

  /// Reorders all lists so that the rows of the left child come first. Returns where those of the right
  /// begin.
  size_t divide(const Span& span, const Split& split) {
    for (size_t i = span.begin; i < span.end; ++i) {
      const uint32_t row = lists_.front()[i];
      goes_left_[row] = value(row, static_cast<size_t>(split.feature)) < split.threshold;
    }
    size_t middle = span.begin;
    for (auto& list : lists_) {
      others_.clear();
      middle = span.begin;
      for (size_t i = span.begin; i < span.end; ++i) {
        const uint32_t row = list[i];
        if (goes_left_[row])
          list[middle++] = row;
        else
          others_.push_back(row);
      }
      std::copy(others_.begin(), others_.end(), list.begin() + static_cast<std::ptrdiff_t>(middle));
    }
    return middle;
  }

  const FeatureRows& rows_;
  const std::vector<double>& targets_;
  const ForestOptions& options_;
  std::vector<std::vector<uint32_t>> ascending_, lists_;
  std::vector<char> goes_left_;
  std::vector<uint32_t> others_;
  const std::vector<int>* times_ = nullptr;
};

}  // namespace

Trees random_forest(const FeatureRows& rows, const std::vector<double>& targets,
                    const ForestOptions& options) {
  Trees forest;
  Grower grower(rows, targets, options);
  std::mt19937 random(options.seed);
  std::uniform_int_distribution<size_t> any(0, targets.size() - 1);
  for (int t = 0; t < options.n_estimators; ++t) {
    std::vector<int> times(targets.size());
    for (size_t draw = 0; draw < targets.size(); ++draw) ++times[any(random)];
    forest.add(grower.grow(times));
  }
  return forest;
}

}  // namespace kjoule
