#pragma once
#include <cstdlib>
#include <string>
#include <vector>

namespace stand_in {

/// The options of a test program. They follow its number of ranks or GPUs and its number of iterations.
class ProgramOptions {
 public:
  ProgramOptions(int count, char** words) : words_(words + 3, words + count) {}
  bool has(const char* name) const { return find(name) < words_.size(); }
  /// Returns whether the option names this rank or GPU.
  bool names(const char* name, int number) const { return word(name, 1) == number; }
  /// Returns whether the option names this rank or GPU and this iteration.
  bool names(const char* name, int number, int iteration) const {
    return names(name, number) && word(name, 2) == iteration;
  }

 private:
  /// Returns the n-th word after the option as a number; -1 if there is none.
  int word(const char* name, size_t n) const {
    const size_t at = find(name);
    return at + n < words_.size() ? std::atoi(words_[at + n].c_str()) : -1;
  }
  size_t find(const char* name) const {
    size_t at = 0;
    while (at < words_.size() && words_[at] != name) ++at;
    return at;
  }
  std::vector<std::string> words_;
};

}  // namespace stand_in
