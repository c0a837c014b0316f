#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python_launches.py CASE...: launches an OpenCL kernel, through ctypes, from Python code of many
kinds. For each launch it prints the Python frames that the interpreter itself reports, outermost
first: `FUNCTION:FILE:LINE;FUNCTION:FILE:LINE`. A test compares a profiler's frames with these, so
the tests themselves contain no line numbers.

`--gil` keeps the GIL during the launch, which ctypes otherwise releases; `--quiet` prints nothing;
`--stay` begins half a second after its start and ends half a second after its last launch.
"""
import ctypes
import functools
import os
import sys
import threading
import time

NAMES = {}
# else threads that note the same frames at a time count one launch; a finalizer may note in between
NAMES_LOCK = threading.RLock()


def frames_of(frame):
    names = []
    while frame is not None:
        code = frame.f_code
        names.append("%s:%s:%s" % (code.co_qualname, code.co_filename, frame.f_lineno or "?"))
        frame = frame.f_back
    return ";".join(reversed(names))


def note(line):
    with NAMES_LOCK:
        NAMES[line] = NAMES.get(line, 0) + 1


def expect_below(callers):
    note(callers + ";" + frames_of(sys._getframe(1)))


def expect():
    """Notes the frames that its caller launches from."""
    note(frames_of(sys._getframe(1)))


class Device:
    """The first OpenCL device, a queue and a kernel on it."""

    def __init__(self, with_gil):
        self.kind = ctypes.PyDLL if with_gil else ctypes.CDLL
        self.cl = self.kind("libOpenCL.so.1")
        pointer = ctypes.c_void_p
        for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource",
                     "clCreateKernel"):
            getattr(self.cl, name).restype = pointer
        platform, device, error = pointer(), pointer(), ctypes.c_int()
        self.check(self.cl.clGetPlatformIDs(1, ctypes.byref(platform), None))
        self.check(self.cl.clGetDeviceIDs(platform, ctypes.c_uint64(0xffffffff), 1,
                                          ctypes.byref(device), None))
        context = pointer(self.cl.clCreateContext(None, 1, ctypes.byref(device), None, None,
                                                  ctypes.byref(error)))
        self.queue = pointer(self.cl.clCreateCommandQueue(context, device, ctypes.c_uint64(0),
                                                          ctypes.byref(error)))
        source = ctypes.c_char_p(b"kernel void nothing() {}")
        program = pointer(self.cl.clCreateProgramWithSource(context, 1, ctypes.byref(source), None,
                                                            ctypes.byref(error)))
        self.check(self.cl.clBuildProgram(program, 0, None, None, None, None))
        self.kernel = pointer(self.cl.clCreateKernel(program, b"nothing", ctypes.byref(error)))
        self.size = ctypes.c_size_t(1)
        self.arguments = (self.queue, self.kernel, 1, None, ctypes.byref(self.size), None, 0, None,
                          None)
        self.enqueue = self.cl.clEnqueueNDRangeKernel

    @staticmethod
    def check(status):
        if status != 0:
            raise RuntimeError("OpenCL: error %d" % status)

    def finish(self):
        self.check(self.cl.clFinish(self.queue))


DEVICE = None


def launch():
    expect(); DEVICE.enqueue(*DEVICE.arguments)  # one line, as it says


def direct():
    launch()


def nested():
    def inner():
        def innermost():
            launch()
        innermost()
    inner()


def anonymous():
    (lambda: launch())()


class Model:
    def __init__(self):
        launch()

    def forward(self):
        launch()

    def __call__(self):
        self.forward()

    @classmethod
    def of_class(cls):
        launch()

    @property
    def value(self):
        launch()
        return 1

    def __lt__(self, other):
        launch()
        return False

    def __del__(self):
        pass


def methods():
    model = Model()
    model()
    Model.of_class()
    return model.value


def generator():
    def steps(count):
        for _ in range(count):
            launch()
            yield
    for _ in steps(3):
        pass
    list(steps(2))

    def outer():
        yield from steps(2)
    for _ in outer():
        pass


def coroutine():
    async def step():
        launch()

    async def run():
        await step()
    try:
        run().send(None)
    except StopIteration:
        pass


def comprehension():
    [launch() for _ in range(2)]
    {i: launch() for i in range(2)}
    list(launch() for _ in range(2))


def callbacks():
    """C code between Python functions."""
    list(map(lambda _: launch(), range(2)))
    functools.partial(direct)()
    functools.reduce(lambda a, _: launch(), range(3))
    sorted([Model(), Model()])
    model_type = type("Made", (Model,), {})
    model_type()


def thread():
    worker = threading.Thread(target=direct)
    worker.start()
    worker.join()


def many_threads():
    workers = [threading.Thread(target=lambda: [direct() for _ in range(200)]) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def recursion(levels=100):
    if levels == 0:
        launch()
    else:
        recursion(levels - 1)


def deep_recursion():
    recursion(600)


def recursion_through_c(levels=20):
    if levels == 0:
        launch()
    else:
        list(map(recursion_through_c, [levels - 1]))


def finalizer():
    class Last:
        def __del__(self):
            launch()
    last = Last()
    del last


def exception():
    try:
        raise ValueError
    except ValueError:
        launch()
    finally:
        launch()


def with_statement():
    class Range:
        def __enter__(self):
            launch()

        def __exit__(self, *_):
            launch()
    with Range():
        launch()


def long_lines():
    # a statement over several lines, and one line of many instructions: long location entries
    launch(
    ); x = [a + b * c for a in range(3) for b in range(3) for c in range(3) if a if b if c]; launch()
    return x


def code_made_again():
    """Functions that come and go at the same addresses, and differ only in name, file or line."""
    for i in range(300):
        space = {"launch": launch}
        text = "\n" * (i % 7) + "def made_%d():\n  launch()\nmade_%d()\n" % (i % 10, i % 10)
        exec(compile(text, "/made/%d.py" % (i % 3), "exec"), space)
        del space, text


def names():
    """Names that no text format expects."""
    space = {"launch": launch}
    exec(compile("def grüße():\n  launch()\ngrüße()", "/tmp/größe.py", "exec"), space)
    exec(compile("def 函数():\n  launch()\n函数()", "/tmp/文件.py", "exec"), space)
    exec(compile("def f():\n  launch()\nf()", "/tmp/\U0001f525 (copy) -> x.py", "exec"), space)


def hostile():
    space = {"launch": launch}
    for name in ("/tmp/a;b\nc\td\033[0m.py", "/tmp/<script>'\"&.py", "/" + "long/" * 200000 + "f.py",
                 "/tmp/\udcff\ud800.py", "", "x:12", "([python])", "# gpustall 1"):
        exec(compile("launch()", name, "exec"), space)

    def renamed():
        launch()
    for name in ("n" * 1000000, "a;b", "\n", "<g>", "f (x)", "\U0001f525" * 5000):
        renamed.__code__ = renamed.__code__.replace(co_name=name, co_qualname=name)
        renamed()


def no_line():
    """Code without a location table."""
    def bare():
        launch()
    bare.__code__ = bare.__code__.replace(co_linetable=b"")
    bare()


def forked():
    direct()
    DEVICE.finish()
    report()
    NAMES.clear()
    pid = os.fork()
    if pid == 0:
        # nothing waits for the kernel: the runtime's threads are the parent's
        direct()
        report()
        os._exit(0)
    os.waitpid(pid, 0)


# What another interpreter runs. It has its own modules, and its own expect().
OF_SUBINTERPRETER = """
import ctypes, os, sys, threading
function = ctypes.%s(ctypes.c_int, *[ctypes.c_void_p] * 9)(%d)
arguments = %r
def expect():
    frame, names = sys._getframe(1), []
    while frame is not None:
        code = frame.f_code
        names.append("%%s:%%s:%%s" %% (code.co_qualname, code.co_filename, frame.f_lineno))
        frame = frame.f_back
    os.write(%d, (";".join(reversed(names)) + "\\n").encode())
def in_subinterpreter():
    expect(); function(*arguments)
"""


class Subinterpreter:
    """Another interpreter, whose frames are not linked to those of this one."""

    def __init__(self, kind="legacy"):
        try:
            import _interpreters as interpreters  # 3.13
            self.run = interpreters.exec
        except ImportError:
            import _xxsubinterpreters as interpreters
            self.run = interpreters.run_string
        self.number = (interpreters.create(kind) if sys.version_info >= (3, 13) else
                       interpreters.create(isolated=False))
        address = ctypes.cast(DEVICE.enqueue, ctypes.c_void_p).value
        arguments = [a.value if isinstance(a, ctypes.c_void_p) else a for a in DEVICE.arguments]
        arguments[4] = ctypes.addressof(DEVICE.size)
        self.expected, to = os.pipe()
        keeps_gil = isinstance(DEVICE.cl, ctypes.PyDLL)
        self.begin = OF_SUBINTERPRETER % ("PYFUNCTYPE" if keeps_gil else "CFUNCTYPE", address,
                                          arguments, to)
        self.to = to

    def launch(self, code):
        failed = self.run(self.number, self.begin + code)
        if failed:
            raise RuntimeError(failed)

    def finish(self):
        os.close(self.to)
        with os.fdopen(self.expected) as lines:
            for line in lines:
                NAMES[line.rstrip("\n")] = NAMES.get(line.rstrip("\n"), 0) + 1


def subinterpreter():
    if sys.version_info < (3, 12) and not isinstance(DEVICE.cl, ctypes.PyDLL):
        return  # without the GIL 3.11 does not say which of a thread's interpreters runs
    subs = [Subinterpreter(), Subinterpreter()]
    for sub in subs:
        sub.launch("in_subinterpreter()")
        launch()
        sub.finish()


def subinterpreter_of_thread():
    if sys.version_info < (3, 13):
        return  # CPython waits for a lock for ever there
    sub = Subinterpreter()
    thread = threading.Thread(target=sub.launch, args=("in_subinterpreter()",))
    thread.start()
    thread.join()
    sub.finish()


def thread_of_subinterpreter():
    sub = Subinterpreter()
    sub.launch("""
thread = threading.Thread(target=in_subinterpreter)
thread.start()
thread.join()
""")
    sub.finish()


def many_subinterpreters():
    """Several at a time, in threads of their own; since 3.13 they have GILs of their own."""
    if sys.version_info < (3, 13):
        return  # as above
    subs = [Subinterpreter("isolated") for _ in range(4)]
    code = "for _ in range(100): in_subinterpreter()"
    threads = [threading.Thread(target=sub.launch, args=(code,)) for sub in subs]
    for thread in threads:
        thread.start()
    for _ in range(100):
        launch()
    for thread in threads:
        thread.join()
    for sub in subs:
        sub.finish()


# As in PyTorch, where backward() calls this.
ENGINE = """
def _engine_run_backward(run, *arguments):
    expect(); expect(); expect(); return run(*arguments)
"""
AUTOGRAD = {"expect": expect}
exec(compile(ENGINE, "/usr/lib/python3/dist-packages/torch/autograd/graph.py", "exec"), AUTOGRAD)


def backward(thread="pt_autograd_0", callers=1, run=AUTOGRAD["_engine_run_backward"]):
    """A thread that is not Python's launches, while the caller waits for it in `run`."""
    library = DEVICE.kind(os.environ["AIFLAME_BUILD"] + "/tests/libautograd-fake.so")
    run(library.run_backward, thread.encode(), callers, DEVICE.queue, DEVICE.kernel)


def backward_pass():
    def step():
        backward()
    backward()
    for _ in range(2):
        step()
    step()
    (lambda: backward())()
    backward(thread="pt_autograd_1")


def backward_passes_at_once():
    """Whose the launches are is not known."""
    if DEVICE.kind is ctypes.PyDLL:
        return  # who waits keeps the GIL
    def run(function, *arguments):
        AUTOGRAD["_engine_run_backward"](function, *arguments)
    before = dict(NAMES)
    threads = [threading.Thread(target=backward, args=("pt_autograd_%d" % i, 2, run))
               for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    NAMES.clear()
    NAMES.update(before)
    NAMES[""] = NAMES.get("", 0) + 6


def backward_pass_in_python():
    """A function of autograd that is itself Python, in the thread that is not."""
    if DEVICE.kind is ctypes.PyDLL:
        return
    callers = []
    space = {"note": lambda: callers.append(frames_of(sys._getframe(1)))}
    exec(compile(ENGINE.replace("expect(); expect(); expect()", "note()"),
                 "/usr/lib/python3/dist-packages/torch/autograd/graph.py", "exec"), space)

    def hook():
        expect_below(callers[-1]); DEVICE.enqueue(*DEVICE.arguments)
    kept = ctypes.CFUNCTYPE(None)(hook)
    library = DEVICE.kind(os.environ["AIFLAME_BUILD"] + "/tests/libautograd-fake.so")
    space["_engine_run_backward"](library.run_hook, b"pt_autograd_0", kept)


def native_thread():
    """A thread of another name, and one for which nothing waits in PyTorch's function."""
    def wait(function, *arguments):
        function(*arguments)
    backward("worker", run=wait)
    backward("pt_autograd_0", run=wait)
    NAMES[""] = NAMES.get("", 0) + 6


def report():
    for frames, count in NAMES.items():
        print(count, frames.encode("unicode_escape").decode("ascii"), flush=True)


def main(arguments):
    global DEVICE
    DEVICE = Device("--gil" in arguments)
    if "--stay" in arguments:
        time.sleep(0.5)
    for case in arguments:
        if not case.startswith("-"):
            globals()[case]()
    DEVICE.finish()
    if "--quiet" not in arguments:
        report()
    if "--stay" in arguments:
        time.sleep(0.5)


if __name__ == "__main__":
    main(sys.argv[1:])
