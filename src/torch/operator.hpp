#pragma once
#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/sweep.hpp"

namespace kjoule::runner {

/// The error if an operator does not support a shape.
class InvalidShape : public Error {
 public:
  using Error::Error;
};

/// The error if an operator does not support a precision or a device.
class UnsupportedOperator : public Error {
 public:
  using Error::Error;
};

/// A watch for one span of work, from the first start to the last stop.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
};

/// The work of one direction, which is repeated on data at fixed addresses.
struct Direction {
  /// Restores the state that `run` needs; not timed. May be empty.
  std::function<void()> prepare;
  /// Does the work, and starts and stops the watch before and after the timed part.
  std::function<void(Stopwatch&)> run;
  std::optional<double> flops;        ///< FLOPs of one run, if known
  std::optional<double> least_bytes;  ///< least number of bytes that one run reads and writes, if known
  /// Does the work of `run`, but keeps the data that the work read in memory until forward runs again, so
  /// that the kernels can be replayed. Empty if `run` keeps these data anyway.
  std::function<void(Stopwatch&)> run_and_keep{};
};

/// The directions of an operator by name: "forward" and "backward", run in that order, or "step".
using Directions = std::map<std::string, Direction>;

/// Returns the names of the directions in the order in which they run: forward precedes backward, because it
/// computes data that backward needs.
std::vector<std::string> order_of(const Directions& directions);

/// The device and type of an operator's tensors.
struct Placement {
  at::TensorOptions options;  ///< device and requested type

  at::Tensor uniform(at::IntArrayRef sizes) const { return at::rand(sizes, options); }  ///< values in [0, 1)
  at::Tensor normal(at::IntArrayRef sizes) const { return at::randn(sizes, options); }
  at::Tensor empty(at::IntArrayRef sizes) const { return at::empty(sizes, options); }
  at::Tensor whole_numbers(int64_t below, at::IntArrayRef sizes) const {
    return at::randint(below, sizes, options.dtype(at::kLong));
  }
  bool on_cpu() const { return options.device().is_cpu(); }
};

/// A function that creates an operator with its data for the numbers of a shape.
using Builder = Directions (*)(const SampleShape& shape, const Placement& place);

/// Creates the operator of this name for a shape. Throws InvalidShape, UnsupportedOperator, or an exception
/// of libtorch.
Directions build_operator(const std::string& name, const SampleShape& shape, const Placement& place);

/// Throws InvalidShape "NAME 10 is not divisible by OTHER 3" if `number` is not divisible by `by`.
void check_divisible(const char* name, int64_t number, const char* other, int64_t by);
/// Returns the number of entries of the vocabulary on one of `mp` devices: 50,257 in total, padded to a
/// multiple of 128 on each device.
int64_t vocabulary(int64_t mp);
/// Returns the total size of the tensors' elements in bytes.
double bytes_of(at::TensorList tensors);

}  // namespace kjoule::runner
