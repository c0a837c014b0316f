/* SPDX-License-Identifier: MIT
 *
 * Included before every file of an agent: binds what glibc has since moved from libdl and
 * libpthread into libc to the versions of before. An agent is loaded into programs with glibc 2.17
 * or newer, and newer glibcs keep these versions for old programs. The Makefile links the agents to
 * both libraries, which are all but empty today; scripts/check-needs.sh looks at what they ask for.
 */
#pragma once

#if defined(__aarch64__)
// 2.17 is the first glibc for this machine, so each of its functions is of that version.
#define AIFLAME_OLD(name, x86_version) __asm__(".symver " #name ", " #name "@GLIBC_2.17");
#else
#define AIFLAME_OLD(name, x86_version) __asm__(".symver " #name ", " #name "@GLIBC_" x86_version);
#endif

AIFLAME_OLD(dladdr, "2.2.5")
AIFLAME_OLD(dlclose, "2.2.5")
AIFLAME_OLD(dlopen, "2.2.5")
AIFLAME_OLD(dlsym, "2.2.5")
AIFLAME_OLD(dlvsym, "2.2.5")
AIFLAME_OLD(pthread_condattr_setclock, "2.3.3")
AIFLAME_OLD(pthread_create, "2.2.5")
AIFLAME_OLD(pthread_mutex_timedlock, "2.2.5")
AIFLAME_OLD(pthread_mutex_trylock, "2.2.5")
AIFLAME_OLD(pthread_setname_np, "2.12")
AIFLAME_OLD(pthread_sigmask, "2.2.5")
AIFLAME_OLD(pthread_timedjoin_np, "2.3.3")

#undef AIFLAME_OLD
