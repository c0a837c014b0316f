# SPDX-License-Identifier: MIT
# One command to a picture: aiflame(1).
load common
load recording

setup() {
  setup_demo
  printf 'main;run 5\nmain;idle 7\n' > app.folded
  printf 'main;run 9\nmain;idle 7\n' > new.folded
}

# drawn PICTURE TEXT: it is a whole SVG with TEXT in it
drawn() {
  xmllint --noout --huge "$1"
  grep -qF "$2" "$1"
}

@test "a file of an HPCToolkit database is its directory" {
  python3 "$AIFLAME_ROOT/tests/recorded/hpctoolkit.py" make run
  run -0 --separate-stderr aiflame --print run/profile.db
  assert_equal "$stderr" "$(aiflame --print run 2>&1)"
  drawn run.svg '<title>all ('
  cd run
  run -0 --separate-stderr aiflame --print -o db.svg meta.db
  [[ $stderr = 'aiflame: stackcollapse-hpctoolkit . | aiflame-svg > db.svg'* ]]
}

@test "a last line without its end is a line" {
  printf 'main;run 5' > one
  run -0 --separate-stderr aiflame one
  assert_equal "$stderr" 'aiflame: wrote one.svg'
}

@test "each kind of file is read by its program" {
  local file program name
  while read -r file program name; do
    rm -f -- *.svg
    run -0 --separate-stderr aiflame --print "$DATA/$file"
    grep -qE "^aiflame: $program .*$file.* > $name.svg\$" <<< "$stderr"
    assert_equal "${stderr_lines[-1]}" "aiflame: wrote $name.svg"
    assert_equal "$(compgen -G '*.svg*')" "$name.svg"
    drawn "$name.svg" '<title>all ('
  done << 'END'
stackcollapse-aiflame/cpu.perf-script stackcollapse-aiflame cpu
stackcollapse-aiflame/matmul.gpustall stackcollapse-aiflame matmul
stackcollapse-iaprof/profile.in stackcollapse-iaprof profile
stackcollapse-ncu/sass.in stackcollapse-ncu sass
stackcollapse-pprof/cpu.pb.gz stackcollapse-pprof cpu
stackcollapse-proton/train.in stackcollapse-proton train
stackcollapse-rocprof/238_pc_sampling_stochastic.csv stackcollapse-rocprof 238_pc_sampling_stochastic
END
}

@test "the printed pipe gives the same picture" {
  run -0 --separate-stderr aiflame --print "$DATA/stackcollapse-aiflame/matmul.gpustall"
  mv matmul.svg first.svg
  sed -n 's/^aiflame: \(stackcollapse.*\)/\1/p' <<< "$stderr" > pipe
  bash pipe
  cmp first.svg matmul.svg
  # also with a name that a shell would take apart
  cp app.folded "it's \$HOME.folded"
  run -0 --separate-stderr aiflame --print "it's \$HOME.folded"
  mv "it's \$HOME.svg" first.svg
  sed -n 's/^aiflame: \(aiflame-svg .*\)/\1/p' <<< "$stderr" > pipe
  bash pipe
  cmp first.svg "it's \$HOME.svg"
}

@test "diff: folded stacks, and files that are folded first" {
  run -0 aiflame diff app.folded new.folded
  aiflame-diff app.folded new.folded | aiflame-svg | cmp - diff.svg
  cp "$DATA/stackcollapse-iaprof/profile.in" a
  sed 's/^eustall\t\([^\t]*\t[^\t]*\)\t/&1/' a > b
  run -0 --separate-stderr aiflame --print -o change.svg diff a b
  aiflame-diff <(stackcollapse-iaprof a) <(stackcollapse-iaprof b) 2> /dev/null | aiflame-svg |
    cmp - change.svg
  sed -n 's/^aiflame: \(aiflame-diff .*\)/\1/p' <<< "$stderr" > pipe
  assert_equal "$(cat pipe)" \
    'aiflame-diff <(stackcollapse-iaprof a) <(stackcollapse-iaprof b) | aiflame-svg > change.svg'
}

@test "record: the picture has the program's name, and the exit status is the program's" {
  skip_unless_samples
  run -0 --separate-stderr aiflame record --print -- "$DEMO/matmul" --seconds 1
  grep -qx 'aiflame: wrote matmul.svg' <<< "$stderr"
  grep -q '^gpustall-record: captured [1-9]' <<< "$stderr"
  drawn matmul.svg multiply_basic
  printf '#!/bin/sh\n%s --seconds 1 > /dev/null; exit 7\n' "$DEMO/matmul" > fails
  chmod +x fails
  run -7 --separate-stderr aiflame record -o x.svg -- ./fails
  drawn x.svg multiply_basic
}

@test "a picture is whole or not there, and replaces pictures alone" {
  run -0 aiflame app.folded
  run -0 aiflame new.folded -o app.svg
  aiflame-svg new.folded | cmp - app.svg
  # a failing program leaves the picture that was there
  echo '# aiflame: event x, unit ns' > app.folded
  run -1 --separate-stderr aiflame app.folded
  assert_equal "${stderr_lines[-1]}" \
    'aiflame: aiflame-svg failed with exit status 1: no picture is written'
  aiflame-svg new.folded | cmp - app.svg
  echo 'my notes' > new.svg
  run -1 --separate-stderr aiflame new.folded
  assert_equal "$stderr" 'aiflame: new.svg: is there, and is no picture; name another with -o'
  assert_equal "$(cat new.svg)" 'my notes'
  rm new.svg
  ln -s app.folded new.svg
  run -1 --separate-stderr aiflame new.folded
  assert_equal "$stderr" 'aiflame: new.svg: is there, and is no regular file'
  run -1 --separate-stderr aiflame new.folded -o new.svg
  assert_equal "$stderr" "aiflame: cannot write 'new.svg': it is a link, which is not followed"
  run -1 --separate-stderr aiflame new.folded -o .
  assert_equal "$stderr" "aiflame: cannot write '.': Is a directory"
  assert_equal "$(echo ./*.svg*)" './app.svg ./new.svg'
}

@test "-o: standard output, devices and FIFOs get the whole picture or nothing" {
  aiflame-svg app.folded > expected.svg
  run -0 --separate-stderr bash -c 'aiflame --print -o - app.folded > a'
  assert_equal "$stderr" 'aiflame: aiflame-svg app.folded'
  cmp a expected.svg
  aiflame -o /dev/stdout app.folded 2> err | cmp - expected.svg
  mkfifo fifo
  cat fifo > b &
  aiflame -o fifo app.folded 2> err
  wait
  assert_equal "$(< err)" 'aiflame: wrote fifo'
  cmp b expected.svg
  echo '# aiflame: event x, unit ns' > empty.folded
  run -1 --separate-stderr aiflame -o - empty.folded
  assert_equal "$output" ''
  run -1 --separate-stderr bash -c 'aiflame -o - app.folded > /dev/full'
  assert_equal "$stderr" 'aiflame: write error: No space left on device'
  run -2 --separate-stderr aiflame --open -o - app.folded
  assert_equal "$stderr" "aiflame: --open shows a file: not with -o -; try 'aiflame --help'"
  run ! compgen -G './-*'
}

@test "record: the command begins where gpustall-record says, and keeps its options" {
  printf '#!/bin/sh\necho "$0 $*" >&2\n' > app
  chmod +x app
  local words pipe picture
  while IFS='|' read -r words pipe picture; do
    run -1 --separate-stderr aiflame record --print $words
    assert_equal "${stderr_lines[0]}" "aiflame: gpustall-record $pipe | stackcollapse-aiflame | aiflame-svg > $picture"
    grep -qx './app -o its.own --open' <<< "$stderr"
  done << 'END'
./app -o its.own --open|-- ./app -o its.own --open|app.svg
-F 500 ./app -o its.own --open|-F 500 -- ./app -o its.own --open|app.svg
--frequency=500 -o x.svg ./app -o its.own --open|--frequency=500 -- ./app -o its.own --open|x.svg
-ox.svg -F500 -- ./app -o its.own --open|-F500 -- ./app -o its.own --open|x.svg
--ranges --output=x.svg ./app -o its.own --open|--ranges -- ./app -o its.own --open|x.svg
END
  run ! compgen -G '*.svg*'
}

@test "record: a process gives the picture its name" {
  sleep 1000 &
  local pid=$! word
  # no recorder comes so far: a pid and -a exclude each other
  for word in "-p $pid" "-p$pid" "--pid $pid" "--pid=$pid"; do
    run -125 --separate-stderr aiflame record --print $word -a
    assert_equal "${stderr_lines[0]}" \
      "aiflame: gpustall-record $word -a | stackcollapse-aiflame | aiflame-svg > sleep.svg"
  done
  kill "$pid"
}

@test "record: without a picture, the exit status still is gpustall-record's" {
  run -127 --separate-stderr aiflame record -- no-such-command
  assert_equal "${stderr_lines[0]}" \
    "gpustall-record: cannot run 'no-such-command': No such file or directory"
  assert_equal "${stderr_lines[-1]}" \
    'aiflame: gpustall-record ended with exit status 127: no picture is written'
  run -3 --separate-stderr aiflame record -- sh -c 'exit 3'
  run -125 --separate-stderr aiflame record --no-such-option
  run -1 --separate-stderr aiflame record -- true
  assert_equal "${stderr_lines[-1]}" \
    'aiflame: aiflame-svg failed with exit status 1: no picture is written'
}

@test "record: options that print do not draw" {
  run -0 --separate-stderr aiflame record --ranges --version
  assert_equal "$output" "$(aiflame --version)"
  run -0 --separate-stderr aiflame record --help
  assert_equal "$output" "$(aiflame --help)"
  local word
  for word in --list --print-env; do
    run -2 --separate-stderr aiflame record $word
    assert_equal "$stderr" \
      "aiflame: $word draws nothing; call gpustall-record $word; try 'aiflame --help'"
  done
}

@test "aiflame knows which options of gpustall-record take no value" {
  local flags
  flags=$(gpustall-record --help |
    sed -n 's/^  \(-[a-zA-Z], \|    \)\(--[a-z-]*\)\(\[=.*\|  .*\|\)$/\1\2/p' | grep -o -- '-[-a-zA-Z]*')
  assert_equal "$(sed -n '/kRecorderFlags\[\]/,/;/p' "$AIFLAME_ROOT/tools/aiflame/front_settings.cc" |
    grep -o '"-[^"]*"' | tr -d '"' | sort)" "$(sort <<< "$flags")"
}

@test "wrong files are named for what they are, by every reader" {
  cp /bin/ls app
  printf 'PK\3\4' > a.zip
  aiflame-svg app.folded > a.svg
  printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n' > lfs.json
  gzip -k lfs.json
  printf 'x\0y' > r.nsys-rep
  printf '{"traceEvents":[]}' > t.json
  cp "$DATA/stackcollapse-aiflame/matmul.gpustall" r.gpustall
  local file what
  while IFS='|' read -r file what; do
    for program in aiflame-svg aiflame-diff aiflame-merge aiflame-report aiflame-export aiflame-cost \
      aiflame-forecast stackcollapse-aiflame; do
      [ "$file $program" != 'r.gpustall stackcollapse-aiflame' ] || continue
      [ "$file $program" != 't.json aiflame-forecast' ] || continue
      case $program in
        aiflame-diff) run -1 --separate-stderr $program app.folded "$file" ;;
        aiflame-forecast) run -1 --separate-stderr $program --from h100 --to mi300x "$file" ;;
        aiflame-cost) run -1 --separate-stderr $program --power 5 --pue 1 "$file" ;;
        aiflame-export) run -1 --separate-stderr $program --format pprof "$file" ;;
        *) run -1 --separate-stderr $program "$file" ;;
      esac
      # a picture that cannot be drawn says why, too
      [ "$program" = aiflame-svg ] || assert_equal "$output" ''
      assert_equal "$stderr" "$program: $file: this is $what"
    done
  done << 'END'
app|a program or a library; record it: gpustall-record -o r.gpustall -- app
a.zip|a ZIP archive; unpack it: unzip a.zip
a.svg|an SVG picture; give the folded stacks that it was drawn from
lfs.json|a pointer of Git LFS and not the file; fetch it: git lfs pull --include=lfs.json
lfs.json.gz|a pointer of Git LFS and not the file; fetch it: git lfs pull --include=lfs.json.gz
r.nsys-rep|a report of Nsight Systems; export it, and fold that: nsys export --type sqlite -o r.sqlite r.nsys-rep; stackcollapse-nsys r.sqlite
t.json|a trace of events; fold it first: stackcollapse-trace t.json
r.gpustall|a recording of gpustall-record; fold it first: stackcollapse-aiflame r.gpustall
END
  run -1 --separate-stderr stackcollapse-aiflame app.folded
  assert_equal "$stderr" \
    'stackcollapse-aiflame: app.folded: this is folded stacks; draw them: aiflame-svg app.folded'
  run -1 --separate-stderr aiflame-svg < r.gpustall
  assert_equal "$stderr" 'aiflame-svg: <stdin>: this is a recording of gpustall-record; fold it first: stackcollapse-aiflame FILE'
}

@test "importers name the program of another importer's file" {
  cp "$DATA/stackcollapse-aiflame/matmul.gpustall" r.gpustall
  printf '{"traceEvents":[]}' > t.json
  cp "$DATA/stackcollapse-pprof/cpu.pb.gz" .
  local program file reader
  for program in trace nsys ncu rocprof torch-memory unitrace iaprof proton pprof; do
    while read -r file reader; do
      [ "$reader" != "stackcollapse-$program" ] || continue
      run -1 --separate-stderr "stackcollapse-$program" "$file"
      assert_equal "$output" ''
      [[ $stderr == "stackcollapse-$program: $file: this is "*"; fold it first: $reader $file" ]]
    done << 'END'
r.gpustall stackcollapse-aiflame
t.json stackcollapse-trace
cpu.pb.gz stackcollapse-pprof
END
  done
}

@test "'-' is standard input: a pipe, a compressed one, and a file that is read from its beginning" {
  cat app.folded | aiflame - 2> err
  assert_equal "$(< err)" 'aiflame: wrote aiflame.svg'
  drawn aiflame.svg '<title>run (5 samples'
  rm aiflame.svg
  gzip -c "$DATA/stackcollapse-aiflame/matmul.gpustall" | aiflame --print -o a.svg - 2> err
  grep -qx 'aiflame: stackcollapse-aiflame - | aiflame-svg > a.svg' err
  aiflame -o b.svg - < "$DATA/stackcollapse-aiflame/matmul.gpustall" 2> err
  cmp a.svg b.svg
  aiflame -o diff.svg diff app.folded - < new.folded 2> err
  drawn diff.svg '<title>run (9 samples'
  run -1 --separate-stderr aiflame - < /dev/null
  assert_equal "$stderr" 'aiflame: <stdin>: is empty'
  run -1 --separate-stderr aiflame - < /bin/ls
  assert_equal "$stderr" \
    'aiflame: <stdin>: this is a program or a library; record it: gpustall-record -o r.gpustall -- FILE'
  run -1 --separate-stderr bash -c 'aiflame - <&-'
  assert_equal "$stderr" "aiflame: cannot read '<stdin>': Bad file descriptor"
}

@test "what cannot be drawn is said, and nothing is written" {
  mkdir empty
  : > nothing
  echo 'some words' > words
  local arguments what
  while IFS='|' read -r arguments what; do
    run -1 --separate-stderr aiflame $arguments
    assert_equal "$stderr" "aiflame: $what"
  done << 'END'
missing|cannot open 'missing': No such file or directory
empty|empty: a directory that is neither a database of HPCToolkit nor a perf.data
nothing|nothing: is empty
words|words: no known form; aiflame(1) lists the files that can be drawn
app.folded words|words: no known form; aiflame(1) lists the files that can be drawn
END
  while IFS='|' read -r arguments what; do
    run -2 --separate-stderr aiflame $arguments
    assert_equal "$stderr" "aiflame: $what; try 'aiflame --help'"
  done << 'END'
|which file?
- -|'-' is standard input, which can be read once
diff app.folded|'diff' compares two files
record|record what? 'aiflame record -- COMMAND'
record -o|option '--output' needs a value
record --|record what? 'aiflame record -- COMMAND'
record -p|option '--pid' needs a value
END
  cp "$DATA/stackcollapse-iaprof/profile.in" profile
  run -1 --separate-stderr aiflame app.folded profile
  assert_equal "$stderr" \
    'aiflame: app.folded is folded stacks, and profile is a profile of iaprof: draw one kind at a time'
  run ! compgen -G '*.svg*'
}
