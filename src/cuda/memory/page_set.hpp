#pragma once
#include <algorithm>
#include <vector>

namespace kjoule::cuda {

/// A set of page numbers, stored as ascending runs.
class PageSet {
 public:
  struct Run {
    unsigned first = 0;
    unsigned count = 0;
    unsigned end() const { return first + count; }
    bool operator==(const Run&) const = default;
  };
  PageSet() = default;
  /// Returns the pages from `first` up to, but not including, `end`.
  static PageSet range(unsigned first, unsigned end) {
    PageSet set;
    set.add(first, end);
    return set;
  }
  /// Returns the pages of these runs, which may be in any order and overlap.
  static PageSet of(std::vector<Run> runs);
  /// Adds a page that is not below any page of the set.
  void add(unsigned page) { add(page, page + 1); }
  /// Adds the pages from `first` up to, but not including, `end`. `first` must not be below the last run.
  void add(unsigned first, unsigned end);
  bool contains(unsigned page) const;
  bool empty() const { return runs_.empty(); }
  unsigned size() const;
  const std::vector<Run>& runs() const { return runs_; }
  template <typename Function>
  void for_each(const Function& function) const {
    for (const Run& run : runs_)
      for (unsigned page = run.first; page < run.end(); ++page) function(page);
  }
  bool operator==(const PageSet&) const = default;

 private:
  std::vector<Run> runs_;
};

PageSet unite(const PageSet& one, const PageSet& other);
/// Returns the pages of `one` that `other` does not contain.
PageSet subtract(const PageSet& one, const PageSet& other);

}  // namespace kjoule::cuda
