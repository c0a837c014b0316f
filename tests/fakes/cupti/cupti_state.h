/* SPDX-License-Identifier: MIT */
// What a test program asks the stand-in for CUPTI, through functions that only the stand-in has.
#pragma once

struct FakeCuptiState {
  unsigned sampled_contexts, activity_kinds, subscribers;
};
// "fake_cupti_state": returns which parts are in use now.
using fake_cupti_state_fn = FakeCuptiState (*)();
// "fake_cupti_wait_until_read" and "fake_cupti_wait_until_unsubscribed": block until the client has
// read all that is there now, or has unsubscribed. They give up after 20 seconds.
using fake_cupti_wait_fn = void (*)();
