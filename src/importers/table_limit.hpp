#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/files/input_file.hpp"

namespace kjoule {

/// Table limit: the most bytes of the names and inputs of the different kernels of a table. Each kernel
/// counts kBytesOfKernel more, and inputs count twice, because they take up to 16 times their text in memory.
constexpr size_t kTableLimit = size_t{64} << 20;
constexpr size_t kBytesOfKernel = 128;

/// The size of a table to which kernels are added.
class TableSize {
 public:
  /// `file` is the name of the table in error messages.
  explicit TableSize(std::string file) : file_(std::move(file)) {}

  /// Counts a kernel by the bytes of its name and of its inputs. Throws Error if the table exceeds
  /// kTableLimit.
  void add(size_t name, size_t inputs) {
    bytes_ += name + 2 * inputs + kBytesOfKernel;
    if (bytes_ > kTableLimit)
      throw Error(fmt::format("{}: the names and inputs of its different kernels have more than {} (table "
                              "limit)",
                              file_, limit_text(kTableLimit)),
                  "profile fewer iterations, or a smaller part of the program");
  }

 private:
  std::string file_;
  size_t bytes_ = 0;
};

}  // namespace kjoule
