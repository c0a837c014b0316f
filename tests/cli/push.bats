# SPDX-License-Identifier: MIT
# aiflame-export --push, to a server that tests/fakes/push_server.py stands in for.
load common
load await

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  skip_without python3 'python3 is not installed'
  unset http_proxy https_proxy all_proxy HTTPS_PROXY ALL_PROXY
  printf '# aiflame: event gpu-stall, unit stalls, period 1004 cycles
app;main(int);c;c 5
app;main;-;k.cl_[G];k_[G];load_[g];sbid_[g] 57\n' > stalls
}

teardown() { if [ -n "${server:-}" ]; then kill "$server"; fi; }

# serve ANSWER...: starts the server, and sets `url`. What it gets is in got/.
serve() {
  mkdir -p got
  mkfifo port
  python3 "$AIFLAME_ROOT/tests/fakes/push_server.py" got "$@" > port 3>&- &
  server=$!
  exec {answers}< port
  read -r -t 60 -u "$answers" number
  url=http://127.0.0.1:$number
}

# listening: waits until something can connect
listening() { read -r -t 60 -u "$answers" line && [ "$line" = listening ]; }

# push OPTION... [FILE]...: to `url`, at a time that is always the same
push() { aiflame-export --push "$url" --start 1700000000 --duration 30 "$@"; }

# as_folded FORMAT FILE
as_folded() { python3 "$AIFLAME_ROOT/tests/recorded/export.py" "$@"; }

# header NUMBER NAME: of a request
header() { sed -n "s/^$2: //p" "got/$1.head"; }

@test "usage: what is missing, what cannot be, and URLs that are none" {
  assert_usage_error aiflame-export --push http://h --to pyroscope --duration 1 stalls
  assert_usage_error aiflame-export --push http://h --to pyroscope --start 1 stalls
  assert_usage_error aiflame-export --push http://h --start 1 stalls
  assert_usage_error aiflame-export --push http://h --to zabbix --start 1 stalls
  assert_usage_error aiflame-export --push http://h --to parca --start 1
  assert_usage_error aiflame-export --push http://h --to parca --start 1 -o out stalls
  assert_usage_error aiflame-export --push http://h --to parca --start 1 -f otlp stalls
  assert_usage_error aiflame-export --push http://h --to pyroscope --start 1 --duration 1 --service 'a{b' stalls
  local bad
  for bad in h ftp://h http:// http://h:99999 http://h:0 'http://h/?q' 'http://h/a b' http://[::1 http://[] \
    $'http://h\n'; do
    run -2 --separate-stderr aiflame-export --push "$bad" --to parca --start 1 stalls
    [[ $stderr = "aiflame-export: option '--push': '"*"is not http[s]://HOST[:PORT][/PATH]; try 'aiflame-export --help'" ]]
  done
  run -2 --separate-stderr aiflame-export --push http://me:secret@h --to parca --start 1 stalls
  assert_equal "$stderr" "aiflame-export: option '--push': no user or password in the URL; see --token-file; try 'aiflame-export --help'"
  for bad in rank =3 rank= 'rank=3,rank=4' 'a b=3' 'rank={' service_name=x __name__=x; do
    assert_usage_error aiflame-export --push http://h --to parca --start 1 --series "$bad" stalls
  done
  assert_usage_error aiflame-export --push http://h --to parca --start 1 --spool-size 1M stalls
  assert_usage_error aiflame-export --push http://h --to parca --start 1 --spool d --spool-size 1 stalls
  assert_usage_error aiflame-export --push http://h --to parca --start 1 --retries 101 stalls
  assert_usage_error aiflame-export --push http://h --to parca --start 1 --timeout 0 stalls
  assert_usage_error aiflame-export --push http://h --to parca --start 1 --timeout 3601 stalls
  run -2 --separate-stderr aiflame-export -f pprof --to parca stalls
  assert_equal "$stderr" "aiflame-export: --to, --series, --token-file, --spool, --spool-size, --retries and --timeout need --push; try 'aiflame-export --help'"
}

@test "pyroscope: a profile of pprof at /ingest, with name, labels and times" {
  serve 200
  run -0 push --to pyroscope --service train/llm --series rank=3,zone=eu-1 stalls
  [ -z "$output" ]
  assert_equal "$(head -1 got/1.head)" \
    'POST /ingest?name=train%2Fllm%7Brank%3D3%2Czone%3Deu-1%7D&from=1700000000&until=1700000030&format=pprof&spyName=aiflame'
  assert_equal "$(header 1 Content-Type)" application/octet-stream
  assert_equal "$(header 1 User-Agent)" "aiflame-export/$(aiflame-export --version | cut -d ' ' -f 2)"
  assert_equal "$(header 1 Authorization)" ''
  stacks stalls > expected
  as_folded pprof got/1.body | diff expected -
  stackcollapse-pprof got/1.body 2> /dev/null | cmp - stalls
}

@test "parca: pprof within JSON at /profiles/writeraw, with the labels of the series" {
  serve 200:{}
  push --to parca --service 'a "b"' --series rank=3 stalls
  assert_equal "$(head -1 got/1.head)" 'POST /profiles/writeraw'
  assert_equal "$(header 1 Content-Type)" application/json
  assert_equal "$(jq -c '.series[] | .labels.labels | map([.name, .value])' got/1.body)" \
    '[["__name__","gpu_stall"],["service_name","a \"b\""],["rank","3"]]'
  stacks stalls > expected
  jq -r '.series[0].samples[0].rawProfile' got/1.body | base64 -d > profile
  as_folded pprof profile | diff expected -
  # the lengths that base64 fills up
  local i
  for i in 2 3 4 5; do
    printf 'a%.0s' $(seq "$i") > one
    echo ' 1' >> one
    push --to parca one
    aiflame-export -f pprof --start 1700000000 --duration 30 one > profile
    jq -r '.series[0].samples[0].rawProfile' "got/$i.body" | base64 -d | cmp - profile
  done
}

@test "otlp: several events, compressed, with the labels of the resource" {
  skip_without protoc 'protobuf-compiler is not installed'
  serve 200
  printf '# aiflame: event gpu-time, unit ns\napp;k_[G] 4000\n' > times
  push --to otlp --service train --series rank=3 stalls times
  assert_equal "$(head -1 got/1.head)" 'POST /v1development/profiles'
  assert_equal "$(header 1 Content-Type)" application/x-protobuf
  assert_equal "$(header 1 Content-Encoding)" gzip
  gzip -d < got/1.body > profile
  stacks stalls times | LC_ALL=C sort > expected
  as_folded otlp profile | diff expected -
  protoc --decode_raw < profile > raw
  grep -q '"service.name"' raw
  grep -q '1: "train"' raw
  grep -q '1: "rank"' raw
}

@test "a server behind a path, and standard input" {
  serve 200
  url+=/prefix/ push --to otlp - < stalls
  assert_equal "$(head -1 got/1.head)" 'POST /prefix/v1development/profiles'
}

@test "503 twice, 429 with Retry-After and a lost answer: it comes again, by itself" {
  serve 503 retry=1,429 close 200
  push --to pyroscope stalls
  [ -e got/4.body ]
  cmp got/1.body got/4.body
  [ ! -e got/5.body ]
  # a server that asks for more time than there is
  kill "$server"
  rm -r got port
  serve 'retry=3600,503:closed today' 200
  run -1 --separate-stderr push --to pyroscope stalls
  assert_equal "$stderr" "aiflame-export: $url/ingest: the server answered 503: closed today; the profile was not sent"
}

@test "refusals are not repeated, redirections not followed, parts not taken for all" {
  serve 400:'no such label' 302 'hex,200:0a0f0803120b746f6f206d616e79206f66' 404 200
  run -1 --separate-stderr push --to parca stalls
  [ -z "$output" ]
  assert_equal "$stderr" "aiflame-export: $url/profiles/writeraw: the server answered 400: no such label; the profile was not sent"
  run -1 --separate-stderr push --to parca stalls
  assert_equal "$stderr" "aiflame-export: $url/profiles/writeraw: the server answered 302; the profile was not sent"
  run -1 --separate-stderr push --to otlp stalls
  [[ $stderr = "aiflame-export: $url/v1development/profiles: the server took a part only"*"; the profile was not sent" ]]
  run -1 --separate-stderr push --to parca stalls
  [ -e got/4.body ]
  [ ! -e got/5.body ]
}

@test "away: kept in order, then delivered, and the counts are those that came in" {
  mkfifo begin
  serve --deaf begin 200
  local step
  for step in 1 2 3; do
    printf '# aiflame: event gpu-stall, unit stalls\napp;step%s %s\n' "$step" "$((step * 7))" > "in$step"
    run -0 --separate-stderr push --retries 0 --to pyroscope --spool kept "in$step"
    [[ $stderr = "aiflame-export: warning: $url/ingest: Failed to connect to "*" kept in 'kept'" ]]
    [ "$(stat -c %a kept "kept/0000000$step.push" | xargs)" = '700 600' ]
  done
  [[ $stderr = *'; 3 profiles are kept in '* ]]
  assert_equal "$(cd kept && echo *)" '00000001.push 00000002.push 00000003.push lock'
  run -1 grep -r 127.0.0.1 kept # neither server nor secret
  release begin
  listening
  # without a file: what is kept
  run -0 --separate-stderr aiflame-export --push "$url" --to pyroscope --spool kept
  assert_equal "$stderr" 'aiflame-export: 3 profiles kept before were delivered'
  for step in 1 2 3; do stackcollapse-pprof "got/$step.body" 2> /dev/null | cmp - "in$step"; done
  assert_equal "$(cd kept && echo *)" lock
  # and nothing is sent a second time
  run -0 aiflame-export --push "$url" --to pyroscope --spool kept
  push --to pyroscope --spool kept in1
  [ ! -e got/5.body ]
  assert_equal "$(cd kept && echo *)" lock
}

@test "a new profile goes after those that are kept" {
  serve 503 200
  printf 'old 1\n' > old
  printf 'new 2\n' > new
  run -0 --separate-stderr push --retries 0 --to parca --spool kept old
  run -0 --separate-stderr push --to parca --spool kept new
  assert_equal "$stderr" 'aiflame-export: 1 profile kept before was delivered'
  local i
  for i in 1 2 3; do jq -r '.series[0].samples[0].rawProfile' "got/$i.body" | base64 -d > "$i.pb.gz"; done
  assert_equal "$(as_folded pprof 2.pb.gz; as_folded pprof 3.pb.gz)" 'old 1
new 2'
}

@test "what a server refuses is set aside, and what all servers would refuse is kept" {
  serve 400:'too old' 200
  run -1 --separate-stderr push --to pyroscope --spool kept stalls
  assert_equal "$stderr" "aiflame-export: $url/ingest: the server answered 400: too old; the profile is 'kept/00000001.refused' now"
  push --to pyroscope --spool kept stalls
  assert_equal "$(cd kept && echo *)" '00000001.refused lock'
  kill "$server"
  rm -r got port
  serve 401:'who are you' 401 200
  run -1 --separate-stderr push --to pyroscope --spool kept stalls
  assert_equal "$stderr" "aiflame-export: $url/ingest: the server answered 401: who are you; 1 profile is kept in 'kept'"
  # its number is that of no other
  assert_equal "$(cd kept && echo *)" '00000001.refused 00000002.push lock'
}

@test "a full spool: said, and nothing is removed" {
  mkfifo begin
  serve --deaf begin 200
  local size
  run -0 push --retries 0 --to pyroscope --spool kept stalls
  size=$(stat -c %s kept/00000001.push)
  run -1 --separate-stderr push --retries 0 --to pyroscope --spool kept --spool-size $((2 * size - 1))B stalls
  [[ $stderr = *"; 1 profile is kept in 'kept'"$'\n'"aiflame-export: the profile was not sent; it is not kept: 'kept' is full, see --spool-size" ]]
  assert_equal "$(cd kept && echo *)" '00000001.push lock'
  run -0 push --retries 0 --to pyroscope --spool kept --spool-size $((2 * size))B stalls
  release begin
  listening
  # with the server back, a spool without room is no obstacle
  push --to pyroscope --spool kept --spool-size 1B stalls
  [ -e got/3.body ]
  assert_equal "$(cd kept && echo *)" lock
}

@test "a spool of others, of another server, and files that are no profiles" {
  serve 200
  mkdir -m 777 open
  run -1 --separate-stderr push --to pyroscope --spool open stalls
  assert_equal "$stderr" "aiflame-export: 'open' must belong to you, and only you may write in it"
  run -1 --separate-stderr push --to pyroscope --spool absent/kept stalls
  assert_equal "$stderr" "aiflame-export: cannot write 'absent/kept': No such file or directory"
  mkdir -m 700 kept
  echo nonsense > kept/00000001.push
  mkfifo kept/00000002.push
  run -1 --separate-stderr push --to pyroscope --spool kept stalls
  assert_equal "$stderr" "aiflame-export: 'kept/00000001.damaged' is damaged, and was not sent
aiflame-export: 'kept/00000002.damaged' is damaged, and was not sent"
  [ -e got/1.body ]
  # one that was cut
  serve_nothing=http://127.0.0.1:1
  run -0 aiflame-export --push "$serve_nothing" --retries 0 --to parca --start 1 --spool cut stalls
  truncate -s -1 cut/00000001.push
  run -1 --separate-stderr aiflame-export --push "$url" --to parca --spool cut
  assert_equal "$stderr" "aiflame-export: 'cut/00000001.damaged' is damaged, and was not sent"
  run -0 aiflame-export --push "$serve_nothing" --retries 0 --to parca --start 1 --spool parcas stalls
  run -1 --separate-stderr push --to pyroscope --spool parcas stalls
  assert_equal "$stderr" "aiflame-export: 'parcas/00000001.push' is for parca; use a --spool for each server"
}

@test "the token is in a file, goes to https or this machine, and into no spool" {
  serve 200
  echo 'c2VjcmV0' > token
  push --to pyroscope --token-file token --spool kept stalls
  assert_equal "$(header 1 Authorization)" 'Bearer c2VjcmV0'
  # nor to a proxy, on the way to this machine
  run -0 --separate-stderr env http_proxy="$url" all_proxy="$url" \
    aiflame-export --push http://localhost:1 --retries 0 --to parca --start 1 --token-file token --spool kept2 stalls
  [ ! -e got/2.head ]
  run -0 aiflame-export --push http://127.0.0.1:1 --retries 0 --to parca --start 1 --token-file token --spool kept2 stalls
  run -1 grep -r c2VjcmV0 kept2
  run -1 --separate-stderr aiflame-export --push http://example.invalid --to parca --start 1 --token-file token stalls
  assert_equal "$stderr" 'aiflame-export: --token-file needs https: by http everybody on the way could read the token'
  run -1 --separate-stderr push --to pyroscope --token-file absent stalls
  assert_equal "$stderr" "aiflame-export: cannot read 'absent': No such file or directory"
  printf 'a b\n' > token
  run -1 --separate-stderr push --to pyroscope --token-file token stalls
  assert_equal "$stderr" "aiflame-export: 'token' does not begin with a line that is a token"
}

@test "hostile answers: controls are escaped, endless ones cut" {
  serve 'hex,400:1b5b324a0768690d0a6d6f7265' endless,400 headers endless,200
  run -1 --separate-stderr push --to pyroscope stalls
  assert_equal "$stderr" "aiflame-export: $url/ingest: the server answered 400: \\033[2J\\007hi; the profile was not sent"
  run -1 --separate-stderr push --to pyroscope stalls
  assert_equal "$stderr" "aiflame-export: $url/ingest: the server answered 400: $(printf 'y%.0s' {1..200})...; the profile was not sent"
  run -1 push --to pyroscope --retries 0 stalls
  push --to pyroscope stalls
}

@test "an input that is malformed is neither sent nor kept" {
  serve 200
  echo 'app;main' >> stalls
  run -1 --separate-stderr push --to pyroscope --spool kept stalls
  assert_equal "$stderr" 'aiflame-export: stalls:4: missing count'
  [ ! -e kept ]
  [ ! -e got/1.body ]
}

@test "https: a certificate that nobody vouches for is refused" {
  skip_without openssl 'openssl is not installed'
  openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 1 -subj /CN=localhost 2> /dev/null
  mkfifo port
  python3 -c 'import http.server, ssl
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert", "key")
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()' > port 2> /dev/null 3>&- &
  server=$!
  read -r -t 60 number < port
  run -1 --separate-stderr aiflame-export --push "https://localhost:$number" --to parca --start 1 stalls
  [[ $stderr = "aiflame-export: https://localhost:$number/profiles/writeraw: SSL certificate problem: "*"; the profile was not sent" ]]
}

# rights PID: "NoNewPrivs Seccomp"
rights() { awk '/^NoNewPrivs:|^Seccomp:/ { printf "%s%s", sep, $2; sep = " " } END { print "" }' "/proc/$1/status"; }

@test "the input is read without the network: by a child that has dropped its rights" {
  is_sanitized && skip 'the sanitizers write reports: filters keep their rights'
  [ "$(awk '/^Seccomp:/ { print $2 }' /proc/self/status)" = 0 ] || skip 'this runs under a seccomp filter itself'
  mkfifo input
  serve 200
  aiflame-export --push "$url" --to otlp --start 1 input 3>&- &
  local parent=$! fd child
  exec {fd}> input # waits until the child has opened it
  child=$(pgrep -P "$parent")
  assert_equal "$(rights "$child")" '1 2'
  assert_equal "$(rights "$parent")" "$(rights self)"
  echo 'main;read 1' >&"$fd"
  exec {fd}>&-
  wait "$parent"
  [ -s got/1.body ]
}

@test "a server that hangs: an attempt ends, and runs beside it keep their profiles and go" {
  serve hang 200
  push --timeout 20 --retries 0 --to pyroscope --spool kept stalls 2> first 3>&- &
  local sender=$! step
  until [ -e got/1.head ]; do :; done
  for step in 2 3 4; do
    # a minute would be the time of two attempts
    run -0 --separate-stderr timeout 15 aiflame-export --push "$url" --start 1700000000 --duration 30 \
      --to pyroscope --spool kept stalls
    assert_equal "$stderr" "aiflame-export: another run is sending to the server, and sends what is kept in 'kept' too"
  done
  assert_equal "$(cd kept && echo *)" '00000001.push 00000002.push 00000003.push 00000004.push lock'
  wait "$sender"
  [[ $(cat first) = "aiflame-export: warning: $url/ingest: "*" timed out after "*"; 4 profiles are kept in 'kept'" ]]
  # the next run delivers them all
  run -0 --separate-stderr aiflame-export --push "$url" --to pyroscope --spool kept
  assert_equal "$stderr" 'aiflame-export: 4 profiles kept before were delivered'
  assert_equal "$(cd kept && echo *)" lock
  [ ! -e got/6.body ]
}

@test "what a run keeps while another one sends is sent by that one" {
  mkfifo begin
  serve slow=begin,200 200
  push --to pyroscope --spool kept stalls 2> first 3>&- &
  local sender=$!
  until [ -e got/1.head ]; do :; done
  run -0 push --to pyroscope --spool kept stalls
  release begin
  wait "$sender"
  assert_equal "$(cat first)" 'aiflame-export: 1 profile kept before was delivered'
  assert_equal "$(cd kept && echo *)" lock
  [ -e got/2.body ]
}

@test "an answer of 200 that is cut is one: nothing is sent twice" {
  serve cut,200 cut,503 200
  push --to pyroscope --spool kept stalls
  assert_equal "$(cd kept && echo *)" lock
  [ ! -e got/2.body ]
  push --to pyroscope stalls
  [ -e got/3.body ]
  [ ! -e got/4.body ]
}

@test "links, directories and FIFOs in a spool stop no run" {
  serve 200
  mkdir -m 700 kept
  echo content > victim
  ln -s ../victim kept/00000001.push
  mkdir kept/00000002.push kept/unfinished kept/00000001.damaged
  ln -s ../victim kept/lock
  touch kept/00000001.damaged/full
  run -1 --separate-stderr push --to pyroscope --spool kept stalls
  assert_equal "$stderr" "aiflame-export: 'kept/lock' was no lock file, and is 'lock.damaged' now
aiflame-export: 'kept/00000001.push' is damaged, and was not sent
aiflame-export: 'kept/00000002.damaged' is damaged, and was not sent"
  [ -e got/1.body ]
  run -1 push --to pyroscope --spool kept stalls
  [ -e got/2.body ]
  rm -r kept/00000001.*
  push --to pyroscope --spool kept stalls
  [ -e got/3.body ]
  assert_equal "$(cat victim)" content
}
