#!/bin/bash
# SPDX-License-Identifier: MIT
# slurm-nodes.sh start DIR [NODES]: starts a Slurm of NODES nodes (default 2) on this machine, as
# root, with all of its files in DIR, and waits until they are idle. Then
#   export SLURM_CONF=DIR/slurm.conf
#   srun -n 2 -N 2 gpustall-record -o %j.%r.gpustall -- ./app
# slurm-nodes.sh stop DIR: ends it.
# Needs slurm-wlm and munge, and an address for the name of this machine. All of its traffic stays on 127.0.0.1.
set -euo pipefail
export LC_ALL=C

usage() {
  echo "usage: slurm-nodes.sh start DIR [NODES] | stop DIR" >&2
  exit 2
}

# A key and a socket of its own: a munge that is there already is left alone.
start_munge() { # DIR
  mkdir -p "$1/munge"
  (umask 077 && head -c 1024 /dev/urandom > "$1/munge/key")
  # --force: although others may write to a directory above
  /usr/sbin/munged --force --key-file="$1/munge/key" \
    --socket="$1/munge/socket" --pid-file="$1/munge/pid" --log-file="$1/munge/log" \
    --seed-file="$1/munge/seed"
}

configure() { # DIR NODES FIRST_PORT
  local dir=$1 nodes=$2 port=$3 host node
  host=$(hostname -s)
  cat << END
ClusterName=aiflame
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
SlurmUser=root
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
END
  for ((node = 1; node <= nodes; ++node)); do
    echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + node)) CPUs=1"
  done
  echo "PartitionName=all Nodes=n[1-$nodes] Default=YES State=UP"
}

start() { # DIR NODES
  local dir nodes=$2 node try
  mkdir -p "$1"
  dir=$(cd "$1" && pwd)
  for program in munged slurmctld slurmd; do
    command -v "$program" > /dev/null || [ -x "/usr/sbin/$program" ] || {
      echo "slurm-nodes.sh: no $program; as root: apt-get install slurm-wlm munge" >&2
      exit 1
    }
  done
  start_munge "$dir"
  mkdir -p "$dir/state"
  # below the ports that connections get, and not those of another Slurm that starts now
  configure "$dir" "$nodes" $((20000 + $$ * (nodes + 1) % 10000)) > "$dir/slurm.conf"
  export SLURM_CONF=$dir/slurm.conf
  slurmctld
  for ((node = 1; node <= nodes; ++node)); do slurmd -N "n$node"; done
  for ((try = 0; try < 300; ++try)); do
    if [ "$(sinfo --noheader --states=idle --format=%D 2> "$dir/sinfo.log")" = "$nodes" ]; then
      return
    fi
    sleep 0.1
  done
  echo "slurm-nodes.sh: the nodes are not idle after 30 s; see $dir/*.log" >&2
  exit 1
}

stop() { # DIR
  local file pids=() pid try
  for file in "$1"/slurmd-*.pid "$1/slurmctld.pid" "$1/munge/pid"; do
    if [ -f "$file" ]; then pids+=("$(cat "$file")"); fi
  done
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  for ((try = 0; try < 100; ++try)); do # until they have written their last
    for pid in "${pids[@]}"; do
      if [ -e "/proc/$pid/exe" ]; then sleep 0.1 && continue 2; fi
    done
    return
  done
}

case ${1:-} in
  start) [ $# -ge 2 ] || usage; start "$2" "${3:-2}" ;;
  stop) [ $# -eq 2 ] || usage; stop "$2" ;;
  *) usage ;;
esac
