#!/bin/sh
# Hunts in each of the programs that are named, within a budget. Fails if anything was found that is not
# suppressed.
#
#   hunt.sh PROGRAM...
#
#   RUNS, SECONDS_EACH, SEED   the budget of each, and where the search begins; default: 20, 30 and 1
#
# Reads atomicity.supp if it exists. Writes NAME.sarif for each program and, into schedules/, the schedules
# that show what was found. Build the programs with seriatim-cc and seriatim-c++ before.
set -eu
found=0
for program; do
    set --
    [ ! -e atomicity.supp ] || set -- --suppressions atomicity.supp
    status=0
    seriatim hunt --runs "${RUNS:-20}" --time "${SECONDS_EACH:-30}" --seed "${SEED:-1}" --keep schedules "$@" \
        --format sarif -o "$(basename "$program").sarif" "$program" || status=$?
    [ $status -le 1 ] || exit $status # 2: it could not be run
    [ $status -eq 0 ] || found=1
done
exit $found
