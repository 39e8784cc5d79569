#!/bin/bash
# A job for Slurm: hunt, predict, compare or check on all tasks of the allocation.
#
#     sbatch --ntasks=64 job.sh FOLDER hunt --runs 10000 ./program
#     sbatch --ntasks=64 job.sh FOLDER check @traces.txt
#
# FOLDER is on a file system that the first node can write to. The result goes to
# FOLDER/result.json, schedules to FOLDER/schedules, what is done to FOLDER/journal. When the time
# is up, the result is what is known by then, and the same command goes on from there. The exit
# status is that of seriatim: 0 nothing found, 1 something found, 2 error or not finished.
#
# MPIRUN_OPTIONS: more options for mpirun. KEEP: where schedules go while the job runs, for example
# on a disk of the first node ("$TMPDIR/schedules"); they are collected at the end.
#SBATCH --job-name=seriatim
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@120
set -u

if [ $# -lt 3 ]; then
    echo "usage: sbatch [OPTIONS] job.sh FOLDER hunt|predict|compare|check ARGUMENT..." >&2
    exit 2
fi
folder=$1
command=$2
shift 2
mkdir -p "$folder" || exit 2
keep=()
if [ "$command" = hunt ]; then
    keep=(--keep "${KEEP:-$folder/schedules}")
fi

# With recovery, a rank that dies costs its piece of work, and mpirun loses our exit status: that is
# in FOLDER/status.
mpirun --enable-recovery ${MPIRUN_OPTIONS-} seriatim "$command" "${keep[@]}" --resume "$folder" \
    --format json -o "$folder/result.json" "$@" &
mpirun=$!
# mpirun passes USR1 on to the ranks. It would kill them after TERM.
trap 'kill -USR1 $mpirun' USR1 TERM
while kill -0 $mpirun 2>/dev/null; do
    wait $mpirun
done

if [ "${keep[1]-}" != "$folder/schedules" ] && [ -d "${keep[1]-}" ]; then
    mkdir -p "$folder/schedules" && cp "${keep[1]}"/* "$folder/schedules/"
fi
exit "$(cat "$folder/status" 2>/dev/null || echo 2)"
