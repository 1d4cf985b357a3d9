#pragma once
#include "compare/iteration/comparison.hpp"

namespace kjoule {

/// Returns the verdict: whether sum and whole differ by at most the requested share (Agreement). The verdict
/// is inconclusive for every sum for which lack_of() returns a reason.
Judgement judge(const Comparison& comparison);

/// Returns the reason, in one clause, for which a sum is inconclusive independently of its half-width; empty
/// if there is none. The reasons are: kernels are missing from the sum; host memory changed; or more than 20
/// % of the time belongs to launches that cannot be timed separately.
std::string lack_of(const Comparison& comparison);

/// A sum and its whole, s.
struct JudgedSum {
  Interval sum_s, whole_s;
  double requested_within = 0;  ///< largest requested difference of the sum from the whole, as a share of it
  double asked_half_width = 0;  ///< half-width at which measuring stops, as a share of the whole
  double instrument_s = 0;      ///< part of the sum's half-width that more measuring does not reduce
  std::string lack;             ///< lack_of()
};
/// Returns the verdict on a sum, as judge() does.
Judgement judge_sum(const JudgedSum& judged);

/// Returns the verdict on measured energies: whether sum and whole differ by at most the requested share.
Judgement judge_energy(const EnergyResult& energy);

}  // namespace kjoule
