#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model_prediction/recorded_operator.hpp"
#include "prediction/operator_kind.hpp"
#include "prediction/samples.hpp"

namespace kjoule {

/// How similar a sampled operator is to the operator that it stands for.
enum class Likeness {
  same,     ///< the same computation
  similar,  ///< as many bytes in the same order, such as a product of two tensors for the sum of two
  distant,  ///< as many FLOPs or bytes in another order, such as a convolution as a matrix product
};

/// Work of a recorded operator that a sampled operator can stand for.
struct SampledWork {
  /// Names of the sampled operators that do this work. All have the same features.
  std::vector<std::string> operations;
  Direction direction = Direction::forward;
  OperatorWork work;
  /// Precisions whose tables can be used, the preferred one first.
  std::vector<std::string> precisions;
  Likeness likeness = Likeness::same;
};

/// How many times as long as the sampled operator a call takes, with a 90 % interval.
struct Slowdown {
  double value = 1, low = 1, high = 1;
};

/// What one call of a recorded operator computes and moves.
struct CallWork {
  std::string kind;  ///< such as "matrix product"
  /// The same work by sampled operators, one after another; empty if none is similar.
  std::vector<SampledWork> sampled;
  double flops = 0, bytes = 0;
  std::string precision;  ///< type of the FLOPs: fp16, bf16, fp32 or fp64
  std::string unknown;    ///< the reason why the work is not known; empty if it is
  Slowdown slowdown{};    ///< of all parts by sampled operators
};

/// Returns the work of one call. The work is unknown if kjoule does not know the operator.
CallWork work_of(const RecordedOperator& called);

/// Returns the shape m x k times k x n, or another short text of the sizes, such as "5x1024".
std::string sizes_of(const RecordedOperator& called);

}  // namespace kjoule
