#pragma once
#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/sweep.hpp"

namespace kjoule::child {

/// A shape that an operator does not have.
class InvalidShape : public Error {
 public:
  using Error::Error;
};

/// An operator that cannot be had in this precision, or on this device.
class Refused : public Error {
 public:
  using Error::Error;
};

/// Takes the time of one span of work: from the first start to the last stop.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
};

/// What one direction does, again and again, on data that stays where it is.
struct Direction {
  std::function<void()> prepare;        ///< what must be as before; not timed. May be empty.
  std::function<void(Stopwatch&)> run;  ///< starts and stops the watch around the work
  std::optional<double> flops;          ///< of one run
  std::optional<double> least_bytes;    ///< that one run must read and write at the least
  /// The same as `run`, but what it read stays in memory until forward runs again, so that its kernels can be
  /// launched once more. Empty where `run` does so anyway.
  std::function<void(Stopwatch&)> run_and_keep{};
};

/// "forward" and "backward", run in that order, or "step".
using Directions = std::map<std::string, Direction>;

/// In the order in which they are run: forward makes what backward needs.
std::vector<std::string> order_of(const Directions& directions);

/// Where and of what type an operator's tensors are.
struct Placement {
  at::TensorOptions options;  ///< device and the type that was asked for

  at::Tensor uniform(at::IntArrayRef sizes) const { return at::rand(sizes, options); }  ///< in [0, 1)
  at::Tensor normal(at::IntArrayRef sizes) const { return at::randn(sizes, options); }
  at::Tensor empty(at::IntArrayRef sizes) const { return at::empty(sizes, options); }
  at::Tensor whole_numbers(int64_t below, at::IntArrayRef sizes) const {
    return at::randint(below, sizes, options.dtype(at::kLong));
  }
  bool on_cpu() const { return options.device().is_cpu(); }
};

/// Makes an operator for the numbers of a shape, with its data.
using Builder = Directions (*)(const SampleShape& shape, const Placement& place);

/// An operator of that name at that shape. Throws InvalidShape, Refused, or what libtorch throws.
Directions build_operator(const std::string& name, const SampleShape& shape, const Placement& place);

/// Throws InvalidShape "NAME 10 is not divisible by OTHER 3".
void must_divide(const char* name, int64_t number, const char* other, int64_t by);
/// Entries of the vocabulary on one of `mp` devices: 50,257 in all, padded to a multiple of 128 on each.
int64_t vocabulary(int64_t mp);
/// Of the tensors' contents.
double bytes_of(at::TensorList tensors);

}  // namespace kjoule::child
