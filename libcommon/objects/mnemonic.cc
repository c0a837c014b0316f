// SPDX-License-Identifier: MIT
#include "libcommon/objects/mnemonic.h"

namespace aiflame {
namespace {

// by Unnamed
constexpr struct {
  const char *key, *phrase;
} kReasons[kUnnamedReasons] = {
    {"named", "named"},
    {"no_object", "no code object"},
    {"unreadable", "code object not readable"},
    {"no_disassembler", "no disassembler"},
    {"unknown_device", "device unknown to the disassembler"},
    {"gave_up", "disassembler gave up"},
    {"undecodable", "not decodable"},
};

Unnamed reason_of(DisassemblyFailure failure) {
  switch (failure) {
    case DisassemblyFailure::not_installed:
      return Unnamed::no_disassembler;
    case DisassemblyFailure::unknown_gpu:
      return Unnamed::unknown_device;
    case DisassemblyFailure::out_of_time:
    case DisassemblyFailure::too_long:
    case DisassemblyFailure::killed:
      return Unnamed::gave_up;
    case DisassemblyFailure::none:
    case DisassemblyFailure::failed:
      break;
  }
  return Unnamed::undecodable;
}

}  // namespace

Mnemonic mnemonic_of(const std::string& name, DisassemblyFailure failure) {
  return {name, name.empty() ? reason_of(failure) : Unnamed::no};
}

const char* unnamed_key(Unnamed reason) {
  return kReasons[static_cast<size_t>(reason)].key;
}

const char* unnamed_phrase(Unnamed reason) {
  return kReasons[static_cast<size_t>(reason)].phrase;
}

}  // namespace aiflame
