# SPDX-License-Identifier: MIT
# scripts/pod.yaml, a pod without capabilities, as podman runs it.
load common

podman() { command podman --root "$PWD/storage" --runroot "$PWD/run" --storage-driver vfs --runtime runc "$@"; }

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  skip_without podman
  skip_without runc
  skip_without catatonit # podman makes the pod's first container of it
  [ "$(id -u)" -eq 0 ] || skip 'a podman of its own needs root'
  is_sanitized && skip 'sanitizers watch the memory that agents share'
  # small enough for any machine
  printf '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n' > containers.conf
  export CONTAINERS_CONF=$PWD/containers.conf
  # an image of the shell, three programs, ours, and a program that launches ten kernels
  forks=$AIFLAME_BUILD/tests/demo/forks null=$AIFLAME_BUILD/tests/libopencl-null.so
  mkdir -p image/{opt/aiflame/bin,opt/demo,usr/bin,tmp,proc,sys,dev,etc}
  cp "$(type -P sh)" "$(type -P cp)" "$(type -P test)" "$(type -P sleep)" image/usr/bin
  cp "$AIFLAME_BUILD/bin/gpustall-record" image/opt/aiflame/bin
  cp -r "$AIFLAME_BUILD/libexec" image/opt/aiflame
  cp "$forks" "$null" image/opt/demo
  { ldd image/usr/bin/* image/opt/aiflame/bin/* image/opt/demo/* image/opt/aiflame/libexec/aiflame/* || true; } 2> /dev/null |
    sed -nE 's/.*=> (\/[^ ]+) \(.*/\1/p; s/^\t(\/[^ ]+) \(.*/\1/p' | grep -vF "$PWD/" | sort -u | xargs cp -L --parents -t image
  # shellcheck disable=SC2016 # for podman
  tar -C image -c . | podman import -q -c 'ENV PATH=/usr/bin' - aiflame > log 2>&1 || skip "podman does not work here: $(tail -n 1 log)"
  podman run --rm --network none aiflame test -d /tmp > log 2>&1 || skip "podman does not work here: $(tail -n 1 log)"
}
teardown() {
  if [ -e storage ]; then podman pod rm -af && podman rm -af; fi > log 2>&1
}

@test "a pod without capabilities is recorded" {
  podman run --rm --network none --user 1000 --tmpfs /run/aiflame:mode=1777 aiflame /opt/aiflame/bin/gpustall-record \
    --print-env --listen /run/aiflame/agents --plugin-dir /run/aiflame/libexec > aiflame.env
  {
    printf '%s\n' 'apiVersion: v1' 'kind: ConfigMap' 'metadata: {name: variables}' 'data:' \
      '  OCL_ICD_VENDORS: /opt/demo/libopencl-null.so'
    sed -E 's/^([^=]*)=(.*)/  \1: "\2"/' aiflame.env
  } > variables.yaml
  sed 's/AIFLAME_IMAGE$/localhost\/aiflame/; s/ IMAGE$/ localhost\/aiflame/; s/VARIABLES}/variables}/; s/PROGRAM$/\/opt\/demo\/forks/' \
    "$AIFLAME_ROOT/scripts/pod.yaml" > pod.yaml
  podman play kube --network none --configmap variables.yaml pod.yaml > log 2>&1
  assert_equal "$(podman wait recorded-program)" 0
  assert_equal "$(podman inspect -f '{{.EffectiveCaps}}{{.BoundingCaps}} {{.Config.User}}' recorded-recorder recorded-program)" \
    $'[][] 1000\n[][] 1000'
  podman kill --signal INT recorded-recorder > log
  assert_equal "$(podman wait recorded-recorder)" 0
  podman cp recorded-program:/run/aiflame/r.gpustall r
  grep -qx '# end samples 0 launches 10 lost 0' r
  assert_equal "$(stackcollapse-aiflame --event gpu-time r 2> /dev/null | grep -v '^#' | cut -d ';' -f 1 | sort -u)" forks
}
