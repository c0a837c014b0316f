/* SPDX-License-Identifier: MIT
 *
 * Functions that glibc got after 2.28, by what 2.28 has: see build.sh. No header declares a function
 * that is defined here, since headers choose names by themselves.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

struct stat;

/* 2.33: until then each program brought its own, which called these with the layout's number */
#if defined(__aarch64__)
enum { kLayout = 0 };
#else
enum { kLayout = 1 };
#endif
extern int __xstat(int, const char*, struct stat*), __lxstat(int, const char*, struct stat*);
extern int __fxstat(int, int, struct stat*), __fxstatat(int, int, const char*, struct stat*, int);
int stat(const char* path, struct stat* out) { return __xstat(kLayout, path, out); }
int stat64(const char* path, struct stat* out) { return __xstat(kLayout, path, out); }
int lstat(const char* path, struct stat* out) { return __lxstat(kLayout, path, out); }
int lstat64(const char* path, struct stat* out) { return __lxstat(kLayout, path, out); }
int fstat(int fd, struct stat* out) { return __fxstat(kLayout, fd, out); }
int fstat64(int fd, struct stat* out) { return __fxstat(kLayout, fd, out); }
int fstatat(int dir, const char* path, struct stat* out, int flags) {
  return __fxstatat(kLayout, dir, path, out, flags);
}

/* 2.34. Before Linux 5.9 it fails, which callers must bear. */
int close_range(unsigned first, unsigned last, int flags) {
  return (int)syscall(SYS_close_range, first, last, flags);
}

/* 2.36, for std::random_device */
unsigned arc4random(void) {
  unsigned out = 0;
  while (getrandom(&out, sizeof out, 0) != sizeof out) continue;
  return out;
}

/* 2.32: whether no second thread was ever made; "no" is always safe */
char __libc_single_threaded = 0;

/* 2.35: libgcc finds by it how to unwind the code at an address, and asks nothing else where glibc had
 * it when libgcc was built. Fields as in <dlfcn.h>. */
struct found_object {
  unsigned long long flags;
  void *map_start, *map_end;
  struct link_map* link_map;
  void* eh_frame;
};

struct search {
  ElfW(Addr) address;
  void *start, *end, *eh_frame;
};

static int holds(struct dl_phdr_info* object, size_t size, void* argument) {
  struct search* search = argument;
  void* eh_frame = NULL;
  int found = 0;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    char* start = (char*)object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_GNU_EH_FRAME) eh_frame = start;
    if (segment->p_type != PT_LOAD || search->address - (ElfW(Addr))start >= segment->p_memsz) continue;
    found = 1;
    search->start = start;
    search->end = start + segment->p_memsz;
  }
  if (found) search->eh_frame = eh_frame;
  return found;
}

__attribute__((visibility("hidden"))) int find_object(void*, struct found_object*) __asm__("_dl_find_object");
int find_object(void* address, struct found_object* out) {
  struct search search = {(ElfW(Addr))address, NULL, NULL, NULL};
  if (dl_iterate_phdr(holds, &search) == 0 || search.eh_frame == NULL) return -1;
  *out = (struct found_object){0, search.start, search.end, NULL, search.eh_frame};
  return 0;
}

/* 2.38: C23's, which also take "0b1" where the base is 0 or 2 */
#define OLD(type, name, old, parameters, arguments) \
  extern type old_##name parameters __asm__(old);   \
  type __isoc23_##name parameters { return old_##name arguments; }
OLD(long, strtol, "strtol", (const char* text, char** end, int base), (text, end, base))
OLD(long long, strtoll, "strtoll", (const char* text, char** end, int base), (text, end, base))
OLD(unsigned long, strtoul, "strtoul", (const char* text, char** end, int base), (text, end, base))
OLD(unsigned long long, strtoull, "strtoull", (const char* text, char** end, int base), (text, end, base))
OLD(int, vsscanf, "__isoc99_vsscanf", (const char* text, const char* format, va_list list), (text, format, list))
OLD(int, vfscanf, "__isoc99_vfscanf", (FILE* file, const char* format, va_list list), (file, format, list))

int __isoc23_sscanf(const char* text, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int count = old_vsscanf(text, format, list);
  va_end(list);
  return count;
}
int __isoc23_fscanf(FILE* file, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int count = old_vfscanf(file, format, list);
  va_end(list);
  return count;
}
