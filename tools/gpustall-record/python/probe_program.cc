// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/python/probe_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "libcommon/base/program.h"

namespace aiflame::record {

struct ProbeProgram::Impl {
  bpf_object* object = nullptr;
  bpf_program* program = nullptr;
  int processes = -1, lost = -1;
  ring_buffer* stacks = nullptr;
  std::vector<bpf_link*> links;
  const std::function<void(const python_stack&)>* sink = nullptr;  // while it drains

  ~Impl() {
    for (bpf_link* link : links) bpf_link__destroy(link);
    ring_buffer__free(stacks);
    bpf_object__close(object);
  }

  static int take(void* context, void* data, size_t size) {
    const auto* impl = static_cast<const Impl*>(context);
    if (size >= sizeof(python_stack)) (*impl->sink)(*static_cast<const python_stack*>(data));
    return 0;
  }
};

ProbeProgram::ProbeProgram(const std::string& file) : impl_(std::make_unique<Impl>()) {
  libbpf_set_print(nullptr);  // errno says what failed
  impl_->object = bpf_object__open_file(file.c_str(), nullptr);
  if (impl_->object == nullptr)
    throw Error(format("cannot read '%s': %s", file.c_str(), std::strerror(errno)));
  if (const int error = bpf_object__load(impl_->object); error != 0)
    throw Error(
        format("the kernel does not take the program that reads them: %s; it needs root "
               "and Linux 5.17",
               std::strerror(-error)));
  impl_->program = bpf_object__next_program(impl_->object, nullptr);
  impl_->processes = bpf_object__find_map_fd_by_name(impl_->object, "processes");
  impl_->lost = bpf_object__find_map_fd_by_name(impl_->object, "lost");
  const int stacks = bpf_object__find_map_fd_by_name(impl_->object, "stacks");
  if (stacks >= 0) impl_->stacks = ring_buffer__new(stacks, Impl::take, impl_.get(), nullptr);
  if (impl_->stacks == nullptr)
    throw Error(format("cannot map the buffer for stacks: %s", std::strerror(errno)));
}

ProbeProgram::~ProbeProgram() = default;

void ProbeProgram::attach(const std::string& group, const std::string& tracepoint) {
  bpf_link* link =
      bpf_program__attach_tracepoint(impl_->program, group.c_str(), tracepoint.c_str());
  if (link == nullptr)
    throw Error(format("cannot run a program at a uprobe: %s", std::strerror(errno)));
  impl_->links.push_back(link);
}

bool ProbeProgram::add(uint32_t pid, const python_process& process) {
  return bpf_map_update_elem(impl_->processes, &pid, &process, BPF_ANY) == 0;
}

void ProbeProgram::remove(uint32_t pid) {
  bpf_map_delete_elem(impl_->processes, &pid);
}

void ProbeProgram::drain(const std::function<void(const python_stack&)>& sink) {
  impl_->sink = &sink;
  ring_buffer__consume(impl_->stacks);
}

uint64_t ProbeProgram::lost() const {
  const uint32_t first = 0;
  uint64_t count = 0;
  return bpf_map_lookup_elem(impl_->lost, &first, &count) == 0 ? count : 0;
}

}  // namespace aiflame::record
