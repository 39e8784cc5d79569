#!/bin/sh
# Fails if the program has an atomicity violation that is neither in the baseline nor suppressed.
#
#   BUILD   the command that builds the program; default: make with seriatim's compilers
#   TEST    the command that runs it, or its tests: every program that it starts is watched;
#           default: make check
#
# Reads atomicity.supp and atomicity-baseline.json where they exist. Writes atomicity.json, atomicity.sarif
# and atomicity.html. Exits with the status of TEST, or with 66 if that is 0 and there is a new finding.
set -eu
sh -c "${BUILD:-make CC=seriatim-cc CXX=seriatim-c++ CFLAGS='-g -O1' CXXFLAGS='-g -O1'}"

set --
[ ! -e atomicity.supp ] || set -- "$@" --suppressions atomicity.supp
[ ! -e atomicity-baseline.json ] || set -- "$@" --baseline atomicity-baseline.json
status=0
seriatim run "$@" --format json --log atomicity.json sh -c "${TEST:-make check}" || status=$?

# For the build log, for tools, and for a browser. Each exits with 1 if there is a new finding, which we
# know by now.
seriatim report --format text atomicity.json || [ $? -eq 1 ]
seriatim report --format sarif -o atomicity.sarif atomicity.json || [ $? -eq 1 ]
seriatim report --format html -o atomicity.html atomicity.json || [ $? -eq 1 ]
exit $status
