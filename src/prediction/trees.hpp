#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace kjoule {

/// Rows of numbers for a regressor. All rows have `width` numbers and are stored consecutively.
struct FeatureRows {
  size_t width = 0;
  std::vector<float> values;

  size_t count() const { return width == 0 ? 0 : values.size() / width; }
  const float* row(size_t r) const { return values.data() + r * width; }
  void append(const std::vector<float>& row) { values.insert(values.end(), row.begin(), row.end()); }
  /// Returns the rows with these indices.
  FeatureRows select(const std::vector<size_t>& rows) const;
};

/// A sum of regression trees: boosted trees, or a random forest if the leaves were divided by the number of
/// trees.
class Trees {
 public:
  /// A node with children sends a row to the left child if the row's feature is below the threshold. A leaf
  /// has feature -1, and `threshold` is its value. Children follow their parent in the list.
  struct Node {
    int32_t feature;
    float threshold;
    int32_t child[2];  ///< left and right child; a leaf within a Trees object refers to itself
  };

  Trees() = default;
  explicit Trees(double start) : start_(start) {}

  /// Adds a tree. Its nodes refer to children by their index in `tree`.
  void add(const std::vector<Node>& tree);
  double predict(const float* row) const;
  size_t nodes() const { return nodes_.size(); }

  nlohmann::json json() const;
  /// Returns the trees that json() wrote. Throws Error if `json` does not describe trees over `width`
  /// features.
  static Trees from_json(const nlohmann::json& json, size_t width);

 private:
  double start_ = 0;
  std::vector<Node> nodes_;
  std::vector<int32_t> roots_;
  int steps_ = 0;  ///< largest number of steps from a root to a leaf
};

}  // namespace kjoule
