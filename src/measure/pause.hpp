#pragma once

namespace kjoule {

/// How long to pause before each repeat of work of that period so that it does not keep step with a meter
/// that looks at the power `looks_hz` times a second for `span_s`, in s: what repeats in step is always
/// looked at in the same places. 0 where it is out of step anyway, or where no pause of a few percent helps.
double pause_out_of_step(double period_s, double looks_hz, double span_s);

/// What is left of step with that period: about the error of the mean power, as a share of it, of work that
/// draws much for one half of its period and little for the other; at the worst of all clocks that such
/// boards have.
double error_in_step(double period_s, double looks_hz, double span_s);

}  // namespace kjoule
