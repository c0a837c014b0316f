/* SPDX-License-Identifier: MIT
 *
 * How a program starts that is to run with glibc 2.28. Since 2.34 a program leaves it to glibc to call
 * its constructors. Before, it passed a function that does, which newer ones still call. The linker
 * sends the call of the start file, which passes none, here (--wrap).
 */
typedef int Main(int, char**, char**);
typedef void Initialise(int, char**, char**);
extern int __real___libc_start_main(Main*, int, char**, Initialise*, void (*)(void), void (*)(void), void*);
extern void _init(void);
extern Initialise *__init_array_start[], *__init_array_end[];

static void initialise(int argc, char** argv, char** environment) {
  _init();
  for (Initialise** each = __init_array_start; each != __init_array_end; ++each) (*each)(argc, argv, environment);
}

int __wrap___libc_start_main(Main* main, int argc, char** argv, Initialise* none, void (*end)(void),
                             void (*loader_end)(void), void* stack) {
  (void)none;
  return __real___libc_start_main(main, argc, argv, initialise, end, loader_end, stack);
}
