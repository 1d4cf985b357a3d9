#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace kjoule {

/// A row of numbers that a regressor is given, all rows of one length; stored one after the other.
struct FeatureRows {
  size_t width = 0;
  std::vector<float> values;

  size_t count() const { return width == 0 ? 0 : values.size() / width; }
  const float* row(size_t r) const { return values.data() + r * width; }
  void append(const std::vector<float>& row) { values.insert(values.end(), row.begin(), row.end()); }
  FeatureRows picked(const std::vector<size_t>& rows) const;
};

/// Regression trees whose leaves are added up: boosted trees, or a forest when leaves were divided by its
/// size.
class Trees {
 public:
  /// A node with children sends a row left when its feature is below the threshold. A leaf has feature -1,
  /// and its value stands in `threshold`. Children stand after their parent.
  struct Node {
    int32_t feature;
    float threshold;
    int32_t child[2];  ///< left, right; of a leaf once it is in a tree: itself
  };

  Trees() = default;
  explicit Trees(double start) : start_(start) {}

  /// Nodes of one more tree, its children counted from its own root.
  void add(const std::vector<Node>& tree);
  double predict(const float* row) const;
  size_t nodes() const { return nodes_.size(); }

  nlohmann::json json() const;
  /// Throws Error when the numbers do not describe trees over `width` features.
  static Trees from_json(const nlohmann::json& json, size_t width);

 private:
  double start_ = 0;
  std::vector<Node> nodes_;
  std::vector<int32_t> roots_;
  int steps_ = 0;  ///< from a root to its farthest leaf, at most
};

}  // namespace kjoule
