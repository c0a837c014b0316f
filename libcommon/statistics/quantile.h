// SPDX-License-Identifier: MIT
// Quantiles: the distance from the middle of a distribution within which a share of it lies, and
// the share that lies outside a distance.
#pragma once

namespace aiflame {

// The z with `share` (0 to less than 1) of the normal distribution between -z and z: 1.96 for 0.95.
double normal_quantile(double share);

// The same for Student's t distribution with `degrees` of freedom, at least 1: 12.7 for 0.95 and 1.
double student_quantile(double share, double degrees);

// The reverse: the share of the distribution that is further from the middle than `distance`.
double normal_outside(double distance);
double student_outside(double distance, double degrees);

}  // namespace aiflame
