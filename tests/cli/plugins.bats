# SPDX-License-Identifier: MIT
# Source plugins that are missing, that have another interface, or that fail.
load common
load await
load recording

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  mkdir plugins
}

# plugin NAME ABI DEVICES OPEN READ: a plugin whose functions return these values
plugin() {
  cat > "$1.c" << C
#include "plugins/abi/gpustall_plugin.h"
static int devices(const struct gpustall_config* c,
                   void (*found)(void*, const struct gpustall_device*), void* user) {
  struct gpustall_device d = {sizeof d, 0, "Fake", "nowhere", "ns", 1};
  (void)c;
  if ($3 > 0) found(user, &d);
  return $3;
}
static void* open_it(const struct gpustall_config* c) { (void)c; static int s; return $4 ? &s : 0; }
static int descriptors(void* s, int* d, int n) { (void)s; (void)d; (void)n; return 0; }
static int read_it(void* s, gpustall_sink sink, void* user) { (void)s; (void)sink; (void)user; return $5; }
static void nothing(void* s) { (void)s; }
static const char* why(void) { return "it was made to fail"; }
const struct gpustall_plugin gpustall_plugin = {$2, sizeof(struct gpustall_plugin), "$1", "a test",
  "gpu-stall", "", 0, devices, open_it, descriptors, read_it, nothing, nothing, why};
C
  gcc -shared -fPIC -I"$AIFLAME_ROOT" -o "plugins/$1.so" "$1.c"
}

record() { gpustall-record --plugin-dir plugins -o r "$@"; }

@test "a plugin needs nothing but the header, and is used" {
  plugin good GPUSTALL_PLUGIN_ABI 1 1 1
  run -0 --separate-stderr record -- true
  grep '^# device 0 : good, Fake, nowhere, period 1 ns$' r
}

@test "no plugin, no directory" {
  run -125 --separate-stderr record -- true
  assert_equal "$stderr" 'gpustall-record: no source is installed'
  run -125 --separate-stderr gpustall-record --plugin-dir missing -o r -- true
  assert_equal "$stderr" "gpustall-record: cannot open 'missing': No such file or directory"
}

@test "a name with a slash loads nothing" {
  run -125 --separate-stderr record --source ../plugins/good -- true
  assert_equal "$stderr" "gpustall-record: source '../plugins/good': not the name of a source"
}

@test "made for another interface" {
  plugin old 7 1 1 1
  run -125 --separate-stderr record -- true
  assert_equal "$stderr" \
    "gpustall-record: source 'old': made for plugin interface 7, this program has 2"
}

@test "not a plugin at all" {
  echo 'int x;' | gcc -shared -fPIC -o plugins/odd.so -x c -
  run -125 --separate-stderr record --source odd -- true
  [[ $stderr == *"has no symbol 'gpustall_plugin'" ]]
  echo text > plugins/text.so
  run -125 --separate-stderr record --source text -- true
  [[ $stderr == "gpustall-record: source 'text': "*'file too short'* ]]
}

@test "no device, failing to open, failing to read: the plugin's own words" {
  plugin none GPUSTALL_PLUGIN_ABI -1 1 1
  run -125 --separate-stderr record -- true
  assert_equal "$stderr" "gpustall-record: source 'none': it was made to fail"
  run -0 gpustall-record --plugin-dir plugins --list
  [[ $output == *"source 'none': it was made to fail"* ]]
  rm plugins/none.so
  plugin shut GPUSTALL_PLUGIN_ABI 1 0 1
  run -125 --separate-stderr record -- true
  assert_equal "$stderr" "gpustall-record: source 'shut': it was made to fail"
  rm plugins/shut.so
  plugin broken GPUSTALL_PLUGIN_ABI 1 1 -1
  record_until 'the recording ends here' record
  [[ $(cat err.txt) == *"source 'broken': it was made to fail; the recording ends here, 'sh' runs on" ]]
}

@test "one without a device does not keep the others from being found" {
  plugin a-none GPUSTALL_PLUGIN_ABI -1 1 1
  plugin b-good GPUSTALL_PLUGIN_ABI 1 1 1
  run -0 record -- true
  grep '^# device 0 : b-good' r
}
