#!/bin/bash
# Makes one report of the results that array.sh left in FOLDER: FOLDER/result.json and
# FOLDER/report.html. Exit status: 0 nothing found, 1 something found, 2 error.
#SBATCH --job-name=seriatim-collect
#SBATCH --ntasks=1
set -u
folder=${1:?usage: collect.sh FOLDER}
seriatim report --format json -o "$folder/result.json" "$folder"/results/*.json
status=$?
[ $status -le 1 ] && seriatim report -o "$folder/report.html" "$folder/result.json" >/dev/null
exit $status
