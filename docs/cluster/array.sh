#!/bin/bash
# An array of jobs for Slurm, which need no MPI: each hunts with another seed.
#
#     job=$(sbatch --parsable --array=1-100 array.sh FOLDER --runs 1000 ./program)
#     sbatch --dependency=afterany:$job collect.sh FOLDER
#
# FOLDER is on a shared file system. Schedules have the seed in their names, so all tasks may write
# them to the same folder. A task that is requeued goes on from what it has done.
#SBATCH --job-name=seriatim-array
#SBATCH --ntasks=1
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@120
set -u

if [ $# -lt 2 ]; then
    echo "usage: sbatch --array=FIRST-LAST array.sh FOLDER ARGUMENT-OF-HUNT..." >&2
    exit 2
fi
folder=$1
seed=${SLURM_ARRAY_TASK_ID:?start it with sbatch --array}
shift
mkdir -p "$folder/schedules" "$folder/results" || exit 2

seriatim hunt --seed "$seed" --keep "$folder/schedules" --resume "$folder/seed-$seed" \
    --format json -o "$folder/results/$seed.json" "$@" &
hunt=$!
trap 'kill -TERM $hunt' USR1 TERM
status=2
while kill -0 $hunt 2>/dev/null; do # a signal ends wait, not the hunt
    wait $hunt
    status=$?
done
exit $status
