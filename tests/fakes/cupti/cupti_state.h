/* SPDX-License-Identifier: MIT */
// What is in use of the stand-in for CUPTI: what its function "fake_cupti_state" gives.
#pragma once

struct FakeCuptiState {
  unsigned sampled_contexts, activity_kinds, subscribers;
};
using fake_cupti_state_fn = FakeCuptiState (*)();
