#pragma once
#include "compare/result.hpp"

namespace kjoule {

/// Returns the verdict: whether sum and whole are equal within what was requested (Agreement). It is
/// inconclusive if the sum lacks kernels, or if more than 20 % of the time belongs to launches that cannot be
/// timed separately.
Judgement judge(const Comparison& comparison);

/// Returns why a sum is inconclusive for any half-width, in one clause; empty if it is not.
std::string lack_of(const Comparison& comparison);

/// A sum and its whole, s.
struct JudgedSum {
  Interval sum_s, whole_s;
  double requested_within = 0;  ///< how far the sum may be from the whole, as a share
  double asked_half_width = 0;  ///< at which measuring stopped, as a share of the whole
  double instrument_s = 0;      ///< part of the sum's half-width that more measuring does not reduce
  std::string lack;             ///< lack_of()
};
/// Returns the verdict on a sum, as judge() does.
Judgement judge_sum(const JudgedSum& judged);

/// Returns the verdict on measured energies: whether sum and whole are equal within what was requested.
Judgement judge_energy(const EnergyResult& energy);

}  // namespace kjoule
