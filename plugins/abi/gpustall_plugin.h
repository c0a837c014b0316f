/* SPDX-License-Identifier: MIT
 *
 * The interface between gpustall-record and its source plugins: C only, this header and nothing
 * else.
 *
 * A source plugin finds devices and hands over what they measured. It is a shared object in
 * gpustall-record's plugin directory, called NAME.so, that exports one symbol:
 *
 *     const struct gpustall_plugin gpustall_plugin = { GPUSTALL_PLUGIN_ABI, sizeof(...), ... };
 *
 * Rules: no exception crosses; no plugin prints or exits (last_error() says what went wrong);
 * pointers in an event are valid during the sink call only; times are CLOCK_MONOTONIC nanoseconds;
 * strings are UTF-8 or bytes, ended by 0, never a null pointer unless said. A structure begins with
 * its size as known to whoever fills it. Fields are only ever added at the end, and a reader does
 * not look beyond `size`.
 */
#ifndef GPUSTALL_PLUGIN_H
#define GPUSTALL_PLUGIN_H

#include <stdint.h>

#define GPUSTALL_PLUGIN_ABI 2
#define GPUSTALL_PLUGIN_SYMBOL "gpustall_plugin"

/* One device of a source. */
struct gpustall_device {
  uint32_t size;
  uint32_t index;    /* numbers the devices of this source from 0 */
  const char* name;  /* "Intel(R) Data Center GPU Max 1550" */
  const char* place; /* where it sits: "0000:3d:00.0 tile 0"; "cpu" for the host's processor */
  const char* unit;  /* what a period counts: "ns", "cycles" */
  uint64_t period;   /* that open() would use, in `unit`; 0 = not applicable */
  /* Null when it can be recorded; else why not, in words and with the remedy. */
  const char* obstacle;
  /* How many low bits of an instruction's address its samples have, 0 = all. A sample may then be
   * of any object's code with the same bits. */
  uint32_t address_bits;
  /* Null, or what programs on this machine lack to use the device, with the remedy: a driver. Such
   * a device can be recorded all the same, as a program may bring its own. */
  const char* lack;
};

enum gpustall_target {
  GPUSTALL_TARGET_COMMAND = 0, /* `pid` is stopped just before execve(2): record from there on */
  GPUSTALL_TARGET_PROCESS = 1, /* `pid` is running already */
  GPUSTALL_TARGET_SYSTEM = 2,  /* everything; `pid` is 0 */
};

/* What to record. */
struct gpustall_config {
  uint32_t size;
  uint32_t target;    /* enum gpustall_target */
  uint32_t pid;       /* as the recorder sees it */
  int32_t device;     /* index of the one device wanted, -1 = all */
  uint64_t period;    /* in the device's unit; 0 = see frequency */
  uint64_t frequency; /* samples a second; 0 = the source's default */
  const char* input;  /* --input FILE of a source that reads files, else null */
};

/* A named piece of code of an object. `kernel` is the kernel it belongs to; the kernel's own code
 * has name == kernel (the same text). Names are demangled, with parameters. */
struct gpustall_function {
  uint64_t address; /* on the device */
  uint64_t bytes;
  const char* name;
  const char* kernel;
};

/* A code object that appears on the device, or goes away. */
struct gpustall_object {
  uint64_t address;     /* first device address */
  uint64_t bytes;       /* length of the range */
  uint64_t file_offset; /* of the byte at `address` in the file */
  const char* path;     /* the object in the process's file system; "" = see `saved` */
  const char* saved;    /* a lasting copy, made by the plugin or recorded; "" = make one */
  const struct gpustall_function* functions; /* sorted by address */
  uint32_t function_count;
};

/* A frame as in gpustall(5). */
struct gpustall_frame {
  uint64_t address;
  uint64_t offset;    /* from the start of `symbol`; UINT64_MAX = not printed */
  const char* symbol; /* "multiply_basic" */
  const char* object; /* "/usr/lib/x86_64-linux-gnu/libc.so.6", "[stall]" */
};

struct gpustall_sample {
  uint64_t address;
  uint64_t count;     /* the number of samples; 0 if a recording tells of the exposed ones alone */
  uint64_t exposed;   /* of count: nothing else was issued meanwhile. 0 where that is not known */
  const char* reason; /* of the stall; null = a source that samples time */
  uint32_t launch;    /* number, from a source of recordings; 0 = unknown */
  uint32_t tid;       /* 0 = the process's */
  /* From a source of recordings: the frames as recorded. Others leave them to the recorder. */
  const struct gpustall_frame* frames;
  uint32_t frame_count;
};

enum gpustall_call {
  GPUSTALL_LAUNCHES = 0,
  GPUSTALL_WAITS = 1,     /* for the device or a copy; its stack has no kernel */
  GPUSTALL_ALLOCATES = 2, /* device memory; likewise */
};

/* From recordings only: the call `number` has this stack, leaf (the kernel) first. */
struct gpustall_launch {
  uint32_t number;
  uint32_t tid;
  const struct gpustall_frame* frames;
  uint32_t frame_count;
  uint32_t call; /* enum gpustall_call */
};

/* From recordings only: `count` launches of `number`, and the device's busy time for them. */
struct gpustall_launched {
  uint32_t number;
  uint64_t count;
  uint64_t busy_ns; /* UINT64_MAX = not measured */
};

enum gpustall_event_type {
  GPUSTALL_EVENT_PROCESS = 1, /* u.text: the comm of `pid` */
  GPUSTALL_EVENT_LOAD = 2,    /* u.object */
  GPUSTALL_EVENT_UNLOAD = 3,  /* u.object: address, bytes and saved */
  GPUSTALL_EVENT_SAMPLE = 4,  /* u.sample */
  GPUSTALL_EVENT_LOST = 5,    /* u.number samples; UINT64_MAX = unknown how many */
  GPUSTALL_EVENT_EXIT = 6,    /* `pid` has ended */
  GPUSTALL_EVENT_WARNING = 7, /* u.text: one line for the user about something that goes wrong */
  /* From here on only from a source with GPUSTALL_RECORDED: */
  GPUSTALL_EVENT_HEADER = 16,        /* u.text: a comment line of the header, without "# " */
  GPUSTALL_EVENT_SLICE = 17,         /* u.slice */
  GPUSTALL_EVENT_LAUNCH = 18,        /* u.launch */
  GPUSTALL_EVENT_LAUNCHED = 19,      /* u.launched */
  GPUSTALL_EVENT_LOST_LAUNCHES = 20, /* u.number */
  GPUSTALL_EVENT_END = 21,           /* the recording was whole */
  GPUSTALL_EVENT_LOST_MEMORY = 22,   /* u.number allocations and frees */
};

struct gpustall_event {
  uint32_t size;
  uint32_t type;   /* enum gpustall_event_type */
  uint32_t device; /* index */
  uint32_t pid;    /* 0 = not known */
  uint32_t tid;    /* of LOAD, UNLOAD, LOST in a recording */
  uint64_t time;
  const char* comm; /* from a recording; null = as in PROCESS */
  union {
    const char* text;
    uint64_t number;
    struct gpustall_object object;
    struct gpustall_sample sample;
    struct gpustall_launch launch;
    struct gpustall_launched launched;
    struct {
      uint64_t start, end;
    } slice;
  } u;
};

typedef void (*gpustall_sink)(void* user, const struct gpustall_event* event);

enum gpustall_flags {
  GPUSTALL_RECORDED = 1, /* events come from a recording: already aggregated, numbered and named */
  GPUSTALL_TIMED = 2,    /* each sample has its own time, so it can be joined to a launch */
  GPUSTALL_NOT_AUTO = 4, /* only when asked for with --source */
  /* Only when no other source of the same event has a device that can be recorded: it reaches the
   * same devices less directly. */
  GPUSTALL_SECOND_CHOICE = 8,
  /* Its samples come from its agent in the program's process, so only commands can be recorded.
   * open() and read() have nothing to do. */
  GPUSTALL_BY_AGENT = 16,
};

struct gpustall_plugin {
  uint32_t abi;  /* GPUSTALL_PLUGIN_ABI */
  uint32_t size; /* of this structure */
  const char* name;
  const char* description; /* one line for --list */
  const char* event;       /* what its samples are: "gpu-stall" or "gpu-clock" */
  const char* agent;       /* name of the agent that reports launches for it; "" = none */
  uint32_t flags;          /* enum gpustall_flags */

  /* Calls `found` for each device, also for one that has an obstacle. Returns how many, or -1 with
   * last_error(): why there is none, in words and with the remedy. `config` has the wanted period
   * and frequency. */
  int (*devices)(const struct gpustall_config* config,
                 void (*found)(void* user, const struct gpustall_device* device), void* user);
  /* Starts recording all devices, or the one that `config` names: returns its state, or null with
   * last_error(). Of several devices, those with an obstacle in devices() are left out. */
  void* (*open)(const struct gpustall_config* config);
  /* File descriptors to poll for input, at most `capacity`; returns how many. 0 = call read() on
   * each interval. */
  int (*descriptors)(void* state, int* descriptors, int capacity);
  /* Hands the events so far to `sink`, ordered by time as far as the source can. Returns 1; 0 when
   * nothing can follow (the end of a recording, say); -1 with last_error(). */
  int (*read)(void* state, gpustall_sink sink, void* user);
  /* Stops the device; a last read() gets the rest. */
  void (*stop)(void* state);
  void (*close)(void* state);
  /* One line about the last failure, for the user: "cannot open /dev/dri/renderD128: ..." */
  const char* (*last_error)(void);
};

#endif
