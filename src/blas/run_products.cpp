#include "blas/run_products.hpp"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"
#include "blas/prepared_product.hpp"
#include "recording/call_ranges.hpp"
#include "recording/iteration_position.hpp"

namespace kjoule::blas {

namespace {

/// If less than this share of the GPU's memory is free, a product that is computed several times has only one
/// set of matrices.
constexpr double kShareForCopies = 0.5;

class Range {
 public:
  explicit Range(const std::string& name) { nvtxRangePushA(name.c_str()); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

std::vector<PreparedProduct> prepare(const Cublas& cublas, const std::vector<ReplayCall>& calls) {
  KernelRules rules;
  std::vector<PreparedProduct> products;
  for (const ReplayCall& call : calls) {
    const auto* product = std::get_if<MatrixProduct>(&call);
    if (product == nullptr) throw Error(call_name(call) + " is not a matrix product", kBugRemedy);
    const auto equal = std::ranges::find(products, *product, &PreparedProduct::product);
    if (equal != products.end() && free_share(cublas.driver()) < kShareForCopies)
      products.push_back(PreparedProduct(*equal));
    else
      products.emplace_back(cublas, *product, rules);
  }
  return products;
}

}  // namespace

void run_products(const RunnerWork& work, int64_t iterations) {
  const auto* calls = std::get_if<std::vector<ReplayCall>>(&work.what);
  if (calls == nullptr) throw Error("kjoule-blas got no matrix products to compute", kBugRemedy);
  const Cublas cublas;
  const std::vector<PreparedProduct> products = prepare(cublas, *calls);
  for (int64_t i = 0; i < iterations; ++i) {
    const Range iteration(kIterationRange);
    {
      const Range all(kCallsRange);
      for (size_t p = 0; p < products.size(); ++p) {
        const Range one_call(call_range(p));
        products[p].multiply();
      }
    }
    cublas.driver().check(cublas.driver().cuStreamSynchronize(cublas.stream()),
                          "a product failed on the GPU");
  }
}

}  // namespace kjoule::blas
