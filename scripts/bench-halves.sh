#!/bin/sh
# SPDX-License-Identifier: MIT
# bench-halves.sh FILE: folds FILE.a and FILE.b at the same time, each by a process of its own.
stackcollapse-aiflame "$1.a" > /dev/null &
stackcollapse-aiflame "$1.b" > /dev/null
wait
