/* SPDX-License-Identifier: MIT
 *
 * Included before every file of an agent: binds what glibc has since moved from libdl and
 * libpthread into libc to the versions of before. An agent is loaded into programs with glibc 2.17
 * or newer, and newer glibcs keep these versions for old programs. The Makefile links the agents to
 * both libraries, which are all but empty today; scripts/check-needs.sh looks at what they ask for.
 */
#pragma once

__asm__(".symver dladdr, dladdr@GLIBC_2.2.5");
__asm__(".symver dlclose, dlclose@GLIBC_2.2.5");
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver pthread_condattr_setclock, pthread_condattr_setclock@GLIBC_2.3.3");
__asm__(".symver pthread_create, pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_mutex_timedlock, pthread_mutex_timedlock@GLIBC_2.2.5");
__asm__(".symver pthread_mutex_trylock, pthread_mutex_trylock@GLIBC_2.2.5");
__asm__(".symver pthread_setname_np, pthread_setname_np@GLIBC_2.12");
__asm__(".symver pthread_sigmask, pthread_sigmask@GLIBC_2.2.5");
__asm__(".symver pthread_timedjoin_np, pthread_timedjoin_np@GLIBC_2.3.3");
