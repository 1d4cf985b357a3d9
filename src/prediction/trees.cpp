#include "prediction/trees.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"

namespace kjoule {

namespace {

/// Limit of the corrections that are read from a file: they are logarithms of ratios of two costs.
constexpr double kLargestCorrection = 700;
constexpr const char* kDamaged = "the decision trees of this model are damaged";

/// Returns the largest number of steps from the root to a leaf. Children must follow their parent.
int depth_of(const std::vector<Trees::Node>& nodes) {
  std::vector<int> depths(nodes.size());
  int deepest = 0;
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].feature < 0) continue;
    deepest = std::max(deepest, depths[n] + 1);
    for (const int32_t child : nodes[n].child) depths[static_cast<size_t>(child)] = depths[n] + 1;
  }
  return deepest;
}

/// Returns whole numbers from JSON. Throws Error for fractions and for numbers beyond int32_t, which the JSON
/// library would convert silently.
std::vector<int32_t> whole_numbers(const nlohmann::json& json) {
  std::vector<int32_t> numbers;
  for (const auto& number : json) {
    if (!number.is_number_integer() || number != number.get<int32_t>()) throw Error(kDamaged);
    numbers.push_back(number.get<int32_t>());
  }
  return numbers;
}

}  // namespace

FeatureRows FeatureRows::select(const std::vector<size_t>& rows) const {
  FeatureRows some{width, {}};
  some.values.reserve(rows.size() * width);
  for (const size_t r : rows) some.values.insert(some.values.end(), row(r), row(r) + width);
  return some;
}

void Trees::add(const std::vector<Node>& tree) {
  const auto root = static_cast<int32_t>(nodes_.size());
  roots_.push_back(root);
  for (Node node : tree) {
    const auto self = static_cast<int32_t>(nodes_.size());
    for (int32_t& child : node.child) child = node.feature < 0 ? self : child + root;
    nodes_.push_back(node);
  }
  steps_ = std::max(steps_, depth_of(tree));
}

// Several trees are evaluated at the same time, one step of each in turn, so that the next node of one tree
// is loaded from memory while the other trees proceed. A tree that has reached its leaf stays there.
double Trees::predict(const float* row) const {
  constexpr size_t kAbreast = 8;
  double sum = start_;
  for (size_t first = 0; first < roots_.size(); first += kAbreast) {
    const size_t count = std::min(kAbreast, roots_.size() - first);
    std::array<const Node*, kAbreast> at{};  // GCC 14 does not see that the first `count` are set
    for (size_t t = 0; t < count; ++t) at[t] = &nodes_[static_cast<size_t>(roots_[first + t])];
    for (int step = 0; step < steps_; ++step)
      for (size_t t = 0; t < count; ++t) {
        const Node& node = *at[t];
        const bool right = !(row[std::max(node.feature, 0)] < node.threshold);
        at[t] = &nodes_[static_cast<size_t>(node.child[right])];
      }
    for (size_t t = 0; t < count; ++t) sum += at[t]->threshold;
  }
  return sum;
}

nlohmann::json Trees::json() const {
  std::vector<int32_t> features, lefts, rights;
  std::vector<float> thresholds;
  for (const Node& node : nodes_) {
    features.push_back(node.feature);
    thresholds.push_back(node.threshold);
    lefts.push_back(node.child[0]);
    rights.push_back(node.child[1]);
  }
  return {{"start", start_},         {"roots", roots_}, {"feature", features},
          {"threshold", thresholds}, {"left", lefts},   {"right", rights}};
}

Trees Trees::from_json(const nlohmann::json& json, size_t width) {
  Trees trees(json.at("start").get<double>());
  trees.roots_ = whole_numbers(json.at("roots"));
  const auto features = whole_numbers(json.at("feature"));
  const auto thresholds = json.at("threshold").get<std::vector<float>>();
  const auto lefts = whole_numbers(json.at("left"));
  const auto rights = whole_numbers(json.at("right"));
  const auto count = static_cast<int32_t>(features.size());
  bool good = thresholds.size() == features.size() && lefts.size() == features.size() &&
              rights.size() == features.size();
  for (const int32_t root : trees.roots_) good = good && root >= 0 && root < count;
  const auto in_range = [](double number) { return std::abs(number) <= kLargestCorrection; };
  good = good && in_range(trees.start_) &&
         std::ranges::all_of(thresholds, [](float one) { return std::isfinite(one); });
  for (int32_t n = 0; good && n < count; ++n) {
    const auto i = static_cast<size_t>(n);
    const bool leaf = features[i] < 0;
    good = leaf ? in_range(thresholds[i])
                : (features[i] < static_cast<int32_t>(width) && lefts[i] > n && lefts[i] < count &&
                   rights[i] > n && rights[i] < count);
    trees.nodes_.push_back({features[i], thresholds[i], {leaf ? n : lefts[i], leaf ? n : rights[i]}});
  }
  if (!good) throw Error(kDamaged);
  trees.steps_ = depth_of(trees.nodes_);
  return trees;
}

}  // namespace kjoule
