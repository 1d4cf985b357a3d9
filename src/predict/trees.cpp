#include "predict/trees.hpp"

#include "base/error.hpp"

namespace kjoule {

FeatureRows FeatureRows::picked(const std::vector<size_t>& rows) const {
  FeatureRows some{width, {}};
  some.values.reserve(rows.size() * width);
  for (const size_t r : rows) some.values.insert(some.values.end(), row(r), row(r) + width);
  return some;
}

void Trees::add(const std::vector<Node>& tree) {
  const auto root = static_cast<int32_t>(nodes_.size());
  roots_.push_back(root);
  for (Node node : tree) {
    if (node.feature >= 0) {
      node.left += root;
      node.right += root;
    }
    nodes_.push_back(node);
  }
}

void Trees::add(const Trees& others, double factor) {
  const auto first = static_cast<int32_t>(nodes_.size());
  start_ += factor * others.start_;
  for (const int32_t root : others.roots_) roots_.push_back(first + root);
  for (Node node : others.nodes_) {
    if (node.feature < 0) {
      node.threshold = static_cast<float>(factor * node.threshold);
    } else {
      node.left += first;
      node.right += first;
    }
    nodes_.push_back(node);
  }
}

double Trees::predict(const float* row) const {
  double sum = start_;
  for (const int32_t root : roots_) {
    const Node* node = &nodes_[static_cast<size_t>(root)];
    while (node->feature >= 0)
      node = &nodes_[static_cast<size_t>(row[node->feature] < node->threshold ? node->left : node->right)];
    sum += node->threshold;
  }
  return sum;
}

nlohmann::json Trees::json() const {
  std::vector<int32_t> features, lefts, rights;
  std::vector<float> thresholds;
  for (const Node& node : nodes_) {
    features.push_back(node.feature);
    thresholds.push_back(node.threshold);
    lefts.push_back(node.left);
    rights.push_back(node.right);
  }
  return {{"start", start_},         {"roots", roots_}, {"feature", features},
          {"threshold", thresholds}, {"left", lefts},   {"right", rights}};
}

Trees Trees::from_json(const nlohmann::json& json, size_t width) {
  Trees trees(json.at("start").get<double>());
  trees.roots_ = json.at("roots").get<std::vector<int32_t>>();
  const auto features = json.at("feature").get<std::vector<int32_t>>();
  const auto thresholds = json.at("threshold").get<std::vector<float>>();
  const auto lefts = json.at("left").get<std::vector<int32_t>>();
  const auto rights = json.at("right").get<std::vector<int32_t>>();
  const auto count = static_cast<int32_t>(features.size());
  bool good = thresholds.size() == features.size() && lefts.size() == features.size() &&
              rights.size() == features.size();
  for (const int32_t root : trees.roots_) good = good && root >= 0 && root < count;
  for (int32_t n = 0; good && n < count; ++n) {
    const auto i = static_cast<size_t>(n);
    const bool leaf = features[i] < 0;
    good = leaf || (features[i] < static_cast<int32_t>(width) && lefts[i] > n && lefts[i] < count &&
                    rights[i] > n && rights[i] < count);
    trees.nodes_.push_back({features[i], thresholds[i], lefts[i], rights[i]});
  }
  if (!good) throw Error("its trees are broken");
  return trees;
}

}  // namespace kjoule
