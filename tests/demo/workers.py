# SPDX-License-Identifier: MIT
"""workers.py API METHOD: launches kernels from worker processes, as frameworks' data loaders and
test runners do. API is opencl or level-zero; METHOD is one of multiprocessing's: fork, spawn or
forkserver. The parent launches 3 times before it starts two workers, each worker launches 5 times,
and then the parent launches twice more. Each process prints what it computed.
For drivers that do nothing: see tests/fakes.
"""
import ctypes
import multiprocessing
import sys

P = ctypes.c_void_p


def check(status, what):
    if status != 0:
        raise RuntimeError(f'{what}: {status}')


class OpenCl:
    def __init__(self):
        self.library = ctypes.CDLL('libOpenCL.so.1')
        for name in ('clCreateContext', 'clCreateProgramWithSource', 'clCreateKernel',
                     'clCreateCommandQueue'):
            getattr(self.library, name).restype = P
        call = self.library
        platform, device, status = P(), P(), ctypes.c_int()
        check(call.clGetPlatformIDs(1, ctypes.byref(platform), None), 'clGetPlatformIDs')
        check(call.clGetDeviceIDs(platform, ctypes.c_uint64(0xFFFFFFFF), 1, ctypes.byref(device),
                                  None), 'clGetDeviceIDs')
        context = P(call.clCreateContext(None, 1, ctypes.byref(device), None, None,
                                         ctypes.byref(status)))
        text = ctypes.c_char_p(b'')
        program = P(call.clCreateProgramWithSource(context, 1, ctypes.byref(text), None,
                                                   ctypes.byref(status)))
        check(call.clBuildProgram(program, 1, ctypes.byref(device), b'', None, None),
              'clBuildProgram')
        self.kernel = P(call.clCreateKernel(program, b'scale', ctypes.byref(status)))
        self.queue = P(call.clCreateCommandQueue(context, device, ctypes.c_uint64(0),
                                                 ctypes.byref(status)))
        check(status.value, 'clCreateCommandQueue')

    def launch(self):
        items = ctypes.c_size_t(1)
        check(self.library.clEnqueueNDRangeKernel(self.queue, self.kernel, 1, None,
                                                  ctypes.byref(items), None, 0, None, None),
              'clEnqueueNDRangeKernel')
        check(self.library.clFinish(self.queue), 'clFinish')


class Description(ctypes.Structure):
    """The start of each of Level Zero's descriptions: kind, chain of extensions, other fields."""
    _fields_ = [('stype', ctypes.c_uint32), ('next', P), ('rest', ctypes.c_uint64 * 8)]


class ModuleDescription(ctypes.Structure):
    _fields_ = [('stype', ctypes.c_uint32), ('next', P), ('format', ctypes.c_uint32),
                ('size', ctypes.c_size_t), ('input', ctypes.c_char_p), ('flags', ctypes.c_char_p),
                ('constants', P)]


class KernelDescription(ctypes.Structure):
    _fields_ = [('stype', ctypes.c_uint32), ('next', P), ('flags', ctypes.c_uint32),
                ('name', ctypes.c_char_p)]


class LevelZero:
    def __init__(self, kernel=b'scale'):
        self.library = ctypes.CDLL('libze_loader.so.1')
        call = self.library
        driver, device, context, module = P(), P(), P(), P()
        self.kernel, self.list = P(), P()
        one = ctypes.c_uint32(1)
        check(call.zeInit(0), 'zeInit')
        check(call.zeDriverGet(ctypes.byref(one), ctypes.byref(driver)), 'zeDriverGet')
        check(call.zeDeviceGet(driver, ctypes.byref(one), ctypes.byref(device)), 'zeDeviceGet')
        # ze_structure_type_t: 0xd a context, 0x1b a module, 0x1d a kernel, 0xe a command queue
        check(call.zeContextCreate(driver, ctypes.byref(Description(0xD)), ctypes.byref(context)),
              'zeContextCreate')
        code = kernel + b'\n'
        described = ModuleDescription(0x1B, None, 1, len(code), code, b'', None)
        check(call.zeModuleCreate(context, device, ctypes.byref(described), ctypes.byref(module),
                                  None), 'zeModuleCreate')
        described = KernelDescription(0x1D, None, 0, kernel)
        check(call.zeKernelCreate(module, ctypes.byref(described), ctypes.byref(self.kernel)),
              'zeKernelCreate')
        check(call.zeCommandListCreateImmediate(context, device, ctypes.byref(Description(0xE)),
                                                ctypes.byref(self.list)),
              'zeCommandListCreateImmediate')
        self.queue = P()
        check(call.zeCommandQueueCreate(context, device, ctypes.byref(Description(0xE)),
                                        ctypes.byref(self.queue)), 'zeCommandQueueCreate')

    def launch(self):
        groups = (ctypes.c_uint32 * 3)(1, 1, 1)
        check(self.library.zeCommandListAppendLaunchKernel(self.list, self.kernel, groups, None, 0,
                                                           None),
              'zeCommandListAppendLaunchKernel')

    def wait(self):
        """Synchronises an empty queue: agents use the call to look which launches have ended."""
        check(self.library.zeCommandQueueSynchronize(self.queue, ctypes.c_uint64(-1)),
              'zeCommandQueueSynchronize')


device = None


def open_device(api):
    global device
    if device is None:
        device = OpenCl() if api == 'opencl' else LevelZero()
    return device


def work(api, number):
    opened = open_device(api)
    for _ in range(5):
        opened.launch()
    return number * number


def main(api, method):
    opened = open_device(api)
    for _ in range(3):
        opened.launch()
    with multiprocessing.get_context(method).Pool(2, maxtasksperchild=1) as pool:
        # flushed: a worker that is started meanwhile would write the text once more
        print(pool.starmap(work, [(api, 6), (api, 7)], chunksize=1), flush=True)
        pool.close()
        pool.join()
    for _ in range(2):
        opened.launch()
    print('done')


if __name__ == '__main__':
    main(*sys.argv[1:])
