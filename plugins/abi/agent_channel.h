/* SPDX-License-Identifier: MIT
 *
 * The protocol between an agent in the profiled process and gpustall-record.
 *
 * The recorder puts the environment variable AIFLAME_AGENT into the command's environment:
 *
 *   SECRET:UID:DESCRIPTOR:INODE:DIRECTORY
 *   3f…9a:1000:250:81234:/run/user/1000/aiflame-Xa3f9Q
 *
 * SECRET is AGENT_SECRET_BYTES bytes as hexadecimal digits. UID is the recorder's user, as a
 * decimal number. DESCRIPTOR is a descriptor that the command inherits: one end of a pair of
 * sockets, with that inode number. DIRECTORY belongs to the recorder alone (mode 0700) and holds
 *   agents   a listening socket
 *   missed   a file of struct agent_missed, to which agents append
 * DIRECTORY may be empty: then there is only the descriptor. Both sockets are SOCK_SEQPACKET.
 *
 * There are two ways to the recorder, because either may be cut: a program may close the
 * descriptors that it inherits, and a container may hide the directory. An agent that starts
 *   1. makes a memfd of AGENT_HEADER_BYTES + capacity bytes, sealed against resizing,
 *   2. sends one struct agent_hello with the memfd and, if it can be opened, its root directory as
 *      second descriptor (SCM_RIGHTS), over the inherited socket if the descriptor still is that
 *      socket, else over a connection of its own to `agents`. It first checks that the recorder is
 *      at the other end (SO_PEERCRED). Then it closes what it opened: nothing waits for an answer.
 *      While both ways are full, it tries again for a second at most,
 *   3. writes records into the ring from then on.
 * An agent that could not send appends one struct agent_missed to `missed`. An agent stays out of a
 * program that has more rights than its user (AT_SECURE).
 *
 * The recorder learns the sender's process id from the kernel (SCM_CREDENTIALS, SO_PEERCRED), so it
 * is right for an agent in another pid namespace too. It admits a sender that knows the secret and
 * is below the recorder in the tree of processes. A recorder that is not root admits only its own
 * user. agent_host.cc of the recorder says the rest.
 *
 * The ring: `head` counts bytes reserved by the agent's threads (compare-and-swap), `tail` bytes
 * taken by the recorder; a record of n bytes fits when head + n - tail <= capacity. The data area
 * is mapped twice in a row by both sides, so no record wraps. A record becomes valid when its
 * `bytes` is stored (release), which comes last; the recorder zeroes what it has taken before it
 * moves `tail`, so bytes == 0 means "not yet written". When the ring is full the agent counts
 * `lost_launches` and goes on: it never waits. It keeps room for the ends of the launches that it
 * reported.
 *
 * When the recording ends before the process does, and an agent has said by `holds_back` that it
 * keeps records for a while, the recorder first stores 1 into `closing`. Such an agent ends its
 * part of the recording, writes what it has kept, and then stores 0 into `holds_back`. The recorder
 * waits for that, but not for long. Then it stores 1 into `ended`, closes both ways and removes its
 * directory. An agent that sees it lets every call through, writes nothing, counts nothing as lost,
 * and takes back what it has set up in the process, as far as possible.
 *
 * With --listen the address has a directory alone, where recorders come and go. An agent may then
 * stay when nobody listens: at a launch, a few times a second at most, it looks whether the
 * directory has another socket `agents` than the one it last greeted, and greets that with a new
 * ring. So it may also leave a recorder that was killed. A recorder that wants one process alone
 * stores 1 into the `ended` of the others.
 *
 * A code object may be many times as large as the ring, so it goes another way: its bytes are in a
 * memfd of their own, which is sent in the same ways with one struct agent_object, before the
 * AGENT_LOAD that names it is written.
 *
 * The recorder reads all of this as hostile input.
 */
#ifndef AGENT_CHANNEL_H
#define AGENT_CHANNEL_H

#include <stdint.h>

#define AGENT_ENVIRONMENT "AIFLAME_AGENT"
#define AGENT_MAGIC UINT32_C(0x614c4631) /* "1FLa" in memory */
#define AGENT_VERSION 12
#define AGENT_SECRET_BYTES 16
#define AGENT_SOCKET_NAME "agents" /* in the recorder's directory */
#define AGENT_MISSED_NAME "missed"
/* Tells an agent that is the source of samples (GPUSTALL_BY_AGENT) what to sample. It is in the
 * command's environment: the source's name, then the settings that differ from the agent's
 * defaults:
 *
 *   "cupti interval=10 period=2048 mode=exact duty=10 place=0000:3d:00.0"
 *
 * interval in milliseconds; period in the device's unit; mode continuous or exact; duty the percent
 * of the time to sample in; place of the only device wanted. Absent = no samples are wanted. */
#define AGENT_SAMPLE_ENVIRONMENT "AIFLAME_SAMPLE"

/* The range whose instances get numbers: a name, or a pattern of fnmatch(3). The n-th of the
 * process that is not within another one of its thread is "NAME #n". A name that ends in # and a
 * number is left as it is. Absent = none. */
#define AGENT_NUMBER_RANGES_ENVIRONMENT "AIFLAME_NUMBER_RANGES"

/* Where CUDA graphs are written: an absolute path. That of a graph is this with the process's
 * number and the graph's, "/home/me/graphs.dot.4711.1". Absent = nowhere. */
#define AGENT_GRAPH_DOT_ENVIRONMENT "AIFLAME_GRAPH_DOT"

/* The library that takes ranges of ITT and roctx. Its function writes the ranges that are open on
 * the calling thread as frames of agent_stack. It returns the number of bytes. Without room it
 * returns whether there are any:
 *
 *   uint32_t aiflame_open_ranges(char* out, uint32_t room); */
#define AGENT_RANGES_ENVIRONMENT "AIFLAME_RANGES"
#define AGENT_OPEN_RANGES "aiflame_open_ranges"

/* How launches of CUDA are timed without CUPTI: "events", by CUDA's events. Absent = not at all. */
#define AGENT_LAUNCH_TIMES_ENVIRONMENT "AIFLAME_LAUNCH_TIMES"

/* Present: allocations and frees of device memory are to be reported. Its value is not read. */
#define AGENT_MEMORY_ENVIRONMENT "AIFLAME_MEMORY"

#define AGENT_HEADER_BYTES 65536 /* the data behind it is mapped: pages have 4, 16 or 64 KiB */
/* A launch takes 88 bytes, so this holds 95 000: 10 seconds at 10 000 a second, 40 ms of a loop
 * that does nothing but launch. The recorder reads every 20 ms, and sooner when rings fill. */
#define AGENT_CAPACITY (UINT64_C(8) << 20)
#define AGENT_MAX_FRAMES 512 /* of a stack, Python's included */
#define AGENT_MAX_NATIVE_FRAMES 256
#define AGENT_TEXT_FRAME (UINT64_C(1) << 63) /* marks a number of a text: see agent_text */
#define AGENT_MAX_NAME 4096
// The name in samples for kernels that the driver runs by itself, for a copy or a fill; their code
// is unknown. Launches of copies and fills have names of their own, see AGENT_OPERATION.
#define AGENT_DRIVER_KERNEL "[driver kernel]"
// The name of an AGENT_OPERATION that is no work of the device: a function of the host in one of
// its streams, or in a graph. The device waits until it has returned.
#define AGENT_HOST_FUNCTION "Host function"
#define AGENT_MAX_FRONT 2048
#define AGENT_MAX_RECORD (128 + 2 * AGENT_MAX_FRAMES * 8 + AGENT_MAX_NAME + AGENT_MAX_FRONT)
#define AGENT_OBJECT_MAGIC UINT32_C(0x6f4c4631) /* "1FLo" in memory */
#define AGENT_MAX_OBJECT (UINT64_C(1) << 28)

struct agent_hello {
  uint32_t magic;
  uint32_t version;
  uint8_t secret[AGENT_SECRET_BYTES];
  uint64_t capacity; /* bytes of the data area: a power of two, whole pages */
  char agent[16];    /* "opencl" */
  /* Identifies the program between one exec and the next, the same for all agents in it: a hash of
   * the addresses that the kernel chose for it (getauxval(3)). */
  uint64_t program;
};

/* Comes with the memfd of a code object, the ELF file of the device's runtime. */
struct agent_object {
  uint32_t magic;
  uint32_t version;
  uint8_t secret[AGENT_SECRET_BYTES];
  uint64_t id; /* unique in the process, never reused */
  uint64_t bytes;
  uint64_t reserved[2];
};

/* What an agent could not send: AGENT_MAGIC, its ring; AGENT_OBJECT_MAGIC, a code object. */
struct agent_missed {
  uint32_t magic;
  uint32_t pid;  /* as the process sees it */
  char comm[16]; /* of the thread, ended by 0 */
};

/* The start of the ring's memfd. head and tail have cache lines of their own. */
struct agent_ring {
  uint32_t magic;
  uint32_t version;
  uint64_t capacity;
  uint64_t ended;   /* 0; the recorder stores 1, for good, once it reads no more */
  uint64_t closing; /* 0; the recorder stores 1, for good, before it waits for what is held back */
  uint64_t holds_back; /* the agent stores 1 when it begins to, and 0 when it has written all */
  uint64_t reserved[3];
  uint64_t head;
  uint64_t head_line[7];
  uint64_t tail;
  uint64_t tail_line[7];
  uint64_t lost_launches; /* launches that found the ring full */
  uint64_t lost_samples;  /* samples that did so */
  uint64_t lost_calls;    /* of AGENT_CALL */
  uint64_t lost_memory;   /* of AGENT_ALLOCATED and AGENT_FREED */
};

enum agent_record_type {
  AGENT_MAP = 1,    /* struct agent_map: an executable mapping; AGENT_FIRST begins a new listing */
  AGENT_STACK = 2,  /* struct agent_stack: the stack that later launches name by its id */
  AGENT_LAUNCH = 3, /* struct agent_launch: written just before the kernel is handed over */
  AGENT_DONE = 4,   /* struct agent_done: the launch ended, or failed to start */
  AGENT_LOAD = 5,   /* struct agent_code: a code object is on the device */
  AGENT_UNLOAD = 6, /* struct agent_code: it is not there any more */
  AGENT_LAUNCHES = 7,   /* struct agent_launches: launches without a DONE */
  AGENT_DEVICE = 8,     /* struct agent_device: before the first record that has its number */
  AGENT_TEXT = 9,       /* struct agent_text: before the first stack with that frame */
  AGENT_PYTHON = 10,    /* struct agent_python: an interpreter whose frames are not walked */
  AGENT_SAMPLING = 11,  /* struct agent_sampling: a device is sampled from here on */
  AGENT_REASON = 12,    /* struct agent_reason: before the first sample that has its number */
  AGENT_SAMPLE = 13,    /* struct agent_sample */
  AGENT_LOST = 14,      /* struct agent_lost: samples that were lost */
  AGENT_DRAINED = 15,   /* struct agent_drained: ends the samples and times of a slice */
  AGENT_MESSAGE = 16,   /* struct agent_message: a line for the user */
  AGENT_SIZE = 17,      /* struct agent_size: before the first launch that names it */
  AGENT_CALL = 18,      /* struct agent_call: a call that kept its thread has returned */
  AGENT_ALLOCATED = 19, /* struct agent_allocated: device memory, once it is there */
  AGENT_FREED = 20,     /* struct agent_freed: device memory, before it goes */
  AGENT_MEMORY = 21,    /* struct agent_memory: how much memory a device has */
};

enum agent_record_flags {
  AGENT_FIRST = 1,        /* of a MAP: earlier ones are void */
  AGENT_OUT_OF_ORDER = 2, /* of a LAUNCH: its queue may start it before earlier launches end */
  AGENT_UNTIMED = 4,      /* of a LAUNCH: no DONE will follow */
  AGENT_DURATION = 8,     /* of a DONE: only end - begin is meaningful */
  AGENT_FAILED = 16,      /* of a DONE: it did not happen; of LAUNCHES: takes back an earlier one */
  AGENT_NO_TIMES = 32,    /* of a DONE: the launch ended, but nobody knows when it ran */
  AGENT_CUT = 64,         /* of a STACK: its outermost frames are missing */
  AGENT_NO_PYTHON = 128,  /* of a STACK: Python's frames failed the checks */
  AGENT_FOREIGN = 256, /* of a SAMPLE: of AGENT_DRIVER_KERNEL, without address, reason and stack */
  AGENT_HINT = 512,    /* of a MESSAGE: the remedy for the message that came last */
  AGENT_NO_GIL = 1024, /* of a PYTHON: it was built without one */
  AGENT_NAMED = 2048,  /* of a SAMPLE: its code is not told, and its kernel is its stack's, which
                          has no frames where the launch is not known; of a STACK: its kernel's code
                          may not be told, so code with a kernel of that name may be other code */
  AGENT_OPERATION = 4096,   /* of a STACK: not a kernel, but a copy, a fill or a function of the
                               host, which the name says */
  AGENT_API_CALL = 8192,    /* of a STACK: a call that launches nothing, of an AGENT_CALL */
  AGENT_WAITED = 16384,     /* of a CALL: it waited for the device, or for a copy */
  AGENT_ALLOCATION = 32768, /* of a STACK: a call that allocates device memory */
};

struct agent_record {
  uint32_t bytes; /* of the whole record, a multiple of 8; stored last */
  uint16_t type;
  uint16_t flags;
};

struct agent_map {
  struct agent_record record;
  uint64_t start, end, file_offset;
  /* then the path as in /proc/PID/maps (may be empty), ended by 0, padded with 0 */
};

struct agent_stack {
  struct agent_record record;
  uint64_t id;             /* hash of tid, kernel and frames */
  uint64_t kernel_address; /* on the device, 0 = unknown */
  uint32_t tid;            /* as the process sees it */
  uint32_t frame_count;
  uint32_t name_bytes;     /* of the kernel's name, not ended by 0 */
  uint32_t device;         /* see agent_device; 0 also when the agent knows none */
  char comm[16];           /* of the thread, ended by 0 */
  uint64_t object;         /* id of the code object that holds the kernel, 0 = unknown */
  uint32_t appended_count; /* for a launch by a command list, else 0 */
  uint32_t front_bytes;    /* of the frames at the top that have a name and no address */
  /* then frame_count frames, leaf first: the API function that was entered (its address; 0 when it
   * is a frame with a name), then return addresses and, with AGENT_TEXT_FRAME set, numbers of
   * texts; then appended_count frames of where the kernel was put into the list; then the kernel's
   * name; then the frames between the kernel and the stack that have a name, leaf first, as pairs
   * of symbol and object, each ended by 0: "cudaLaunchKernel" "[cuda]"; padded with 0 to 8 bytes */
};

/* A frame in words: a Python function and its line. */
struct agent_text {
  struct agent_record record;
  uint64_t id; /* as in stacks, with AGENT_TEXT_FRAME: a hash of the content, so always the same */
  uint32_t line;                   /* 0 = unknown */
  uint16_t name_bytes, file_bytes; /* AGENT_MAX_NAME at most */
  /* then the function's name and its file's, not ended by 0, padded with 0 to 8 bytes */
};

struct agent_python {
  struct agent_record record;
  uint32_t version; /* as PY_VERSION_HEX: 0x030e00f0 is 3.14.0; 0 = unknown */
  uint32_t reserved;
};

/* How large launches are. What is 0 is not known. */
struct agent_size {
  struct agent_record record;
  uint64_t id;          /* hash of the rest, never 0 */
  uint64_t items[3];    /* work-items (CUDA: threads) in each dimension: 1 in those not used */
  uint32_t group[3];    /* of them in a work-group (CUDA: block) */
  uint32_t local_bytes; /* of local (CUDA: shared) memory that the launch asks for, dynamically */
};

struct agent_launch {
  struct agent_record record;
  uint64_t id;       /* of a stack */
  uint64_t size;     /* id of a size, 0 = unknown */
  uint64_t instance; /* rises within an agent; the agents of a process have others */
  uint64_t time;     /* CLOCK_MONOTONIC ns */
  uint64_t queue;    /* handle; launches of one in-order queue run one after the other */
};

struct agent_launches {
  struct agent_record record;
  uint64_t id;   /* of a stack */
  uint64_t size; /* id of a size, 0 = unknown */
  uint64_t time; /* CLOCK_MONOTONIC ns */
  uint64_t count;
};

struct agent_code {
  struct agent_record record;
  uint64_t id; /* of an object */
  uint64_t time;
  uint32_t device; /* of a LOAD, as in agent_stack */
  uint32_t reserved;
  /* For a LOAD whose file has no device addresses the agent makes them up: base + offset in the
   * file, never reused in the process. 0 = the file has the addresses. */
  uint64_t base;
  char extension[8]; /* "cubin": small letters and digits; "" = "zebin" */
};

/* A device as the runtime shows it; a source may show it differently. */
struct agent_device {
  struct agent_record record;
  uint32_t number; /* from 1 */
  uint32_t reserved;
  /* "0000:3a:00.0 tile 1": PCI address and tile; without a tile the whole device; "" when the
   * runtime does not say */
  char place[48];
};

/* AGENT_INSIDE: the call that launched it had not returned when it ended. */
#define AGENT_INSIDE UINT64_MAX
struct agent_done {
  struct agent_record record;
  uint64_t instance;
  uint64_t begin, end; /* when the device ran it: CLOCK_MONOTONIC ns */
  uint64_t returned;   /* when the call that launched it did; 0 = not known; AGENT_INSIDE */
  uint64_t stack;      /* the id of a stack that says better what ran; 0 = the launch's */
};

/* The thread of the stack was inside of a call: a wait, a compilation, or, of an AGENT_OPERATION,
 * the call that launched a copy and waited for it. */
struct agent_call {
  struct agent_record record;
  uint64_t id;         /* of a stack: of an AGENT_API_CALL or an AGENT_OPERATION */
  uint64_t begin, end; /* CLOCK_MONOTONIC ns */
};

/* With AGENT_MEMORY_ENVIRONMENT. An address is that of the memory, or a handle of the runtime's: it
 * is not used twice at a time in a process. */
struct agent_allocated {
  struct agent_record record;
  uint64_t id; /* of a stack: of an AGENT_ALLOCATION */
  uint64_t time, address, bytes;
};

struct agent_freed {
  struct agent_record record;
  uint64_t time, address;
  uint64_t bytes; /* 0 = the runtime does not say */
  uint32_t device;
  uint32_t reserved;
};

struct agent_memory {
  struct agent_record record;
  uint64_t bytes;
  uint32_t device;
  uint32_t reserved;
};

struct agent_sampling {
  struct agent_record record;
  uint32_t device; /* as in agent_device */
  uint32_t reserved;
  uint64_t period;
  char unit[16];  /* of the period: "cycles" */
  char name[112]; /* of the device; of NVIDIA's MIG also the instance's UUID */
};

#define AGENT_MAX_REASONS 256
struct agent_reason {
  struct agent_record record;
  uint32_t number; /* below AGENT_MAX_REASONS, of this agent */
  uint32_t reserved;
  char name[64];
};

/* Part of the slice that the next DRAINED ends. */
struct agent_sample {
  struct agent_record record;
  uint64_t address; /* on the device; unknown code when it lies in no object */
  uint64_t stack;   /* id of its launch's stack, 0 = not known; see AGENT_NAMED */
  uint32_t device;
  uint32_t reason;
  uint32_t count;
  uint32_t exposed; /* of count: nothing else was issued meanwhile. 0 where that is not known */
};

#define AGENT_MAX_LOST (UINT64_C(1) << 48)
struct agent_lost {
  struct agent_record record;
  uint32_t device;
  uint32_t reserved;
  uint64_t count; /* below AGENT_MAX_LOST; UINT64_MAX = unknown how many */
};

struct agent_drained {
  struct agent_record record;
  uint64_t time; /* CLOCK_MONOTONIC ns: ends the time that records since the last one cover */
};

struct agent_message {
  struct agent_record record;
  char text[512]; /* one line, lower case, no full stop; ended by 0 */
};

#endif
