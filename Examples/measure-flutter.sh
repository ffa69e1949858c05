#!/usr/bin/env bash
# Measures a Flutter app by its integration tests, and converts their timeline summaries into perfgate's log.
#
#   ./measure-flutter.sh           measures into logs/, and ends with `perfgate check logs`
#   ./measure-flutter.sh LOGS      measures into the folder LOGS, which another step checks
#   ./measure-flutter.sh LOGS --only-pages FILE      runs the tests that contain the name of a page in FILE
#   perfgate measure --base origin/main --head HEAD --run-command ./measure-flutter.sh
#
# `perfgate measure` calls the script for two commits in turn. It sets PERFGATE_OUT (LOGS), PERFGATE_TREE (the checkout to
# build), PERFGATE_SIDE and PERFGATE_PAIR (the run), PERFGATE_ITERATIONS, and PERFGATE_PAGES_FILE (the pages that are
# still open). The pages select test files. They aren't passed on with --dart-define, because that would build the app again.
#
# Each test runs N times with `flutter drive --profile`. Its driver writes the summary of the timeline that the test
# records under a report key: that key is the page. perfgate must be on PATH: it writes app, build and device into the
# log, so the checking step needs no flags.
#
# DEVICE      the device, as named by `flutter devices`; by default the first
# ITERATIONS  the number of runs of each test, 5 by default
#
# Exit codes: those of Flutter and perfgate; 64 usage, 65 two tests with one key, 66 nothing measured, 73 LOGS isn't empty.
#
# To use it for another app, change the lines below.
set -euo pipefail
app=com.example.shop
max_fps=60
driver=test_driver/perf_driver.dart
tests='integration_test/*_perf_test.dart'   # every file with this name
summaries=build   # the driver's folder for NAME.timeline_summary.json

fail() {
    code=$1
    shift
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit "$code"
}

logs=${PERFGATE_OUT:-} only='' check=''
while [ $# -gt 0 ]; do
    case "$1" in
    --only-pages)
        [ $# -gt 1 ] || fail 64 "--only-pages needs a file"
        only=$2
        shift
        ;;
    -*) fail 64 "unknown option $1; see the lines at the top of this file" ;;
    *) logs=$1 ;;
    esac
    shift
done
[ -n "$logs" ] || { logs=logs check=yes; }
[ -z "${PERFGATE_TREE:-}" ] || cd "$PERFGATE_TREE/$(git rev-parse --show-prefix)"
[ -z "$only" ] || [ -f "$only" ] || fail 66 "$only isn't there"
# Without LOGS, the logs of the last call stay until the new ones are complete.
if [ -n "$check" ]; then
    logs=$logs.part
    rm -rf "$logs"
fi
if [ -n "$(find "$logs" -type f 2>/dev/null | head -n 1)" ]; then
    fail 73 "$logs isn't empty: remove its files, so those of an earlier run aren't used"
fi
mkdir -p "$logs"
command -v perfgate >/dev/null || fail 66 "perfgate isn't on PATH"
files=()
for test in $tests; do
    [ -f "$test" ] || fail 66 "no test is called $tests"
    files+=("$test")
done
# `perfgate measure` may name a page that no test contains. Then all tests run.
open=${PERFGATE_PAGES_FILE:-}
if [ -z "$only" ] && [ -n "$open" ]; then
    only=$open
    while IFS= read -r page; do grep -qF -- "$page" "${files[@]}" || only=''; done <"$open"
fi
if [ -n "$only" ]; then
    all=("${files[@]}") files=()
    for test in "${all[@]}"; do
        if grep -qF -f "$only" -- "$test"; then files+=("$test"); fi
    done
fi
[ "${#files[@]}" -gt 0 ] || fail 66 "no test contains the name of a page in $only"
raw=$(mktemp -d)
trap 'rm -rf "$raw"' EXIT

flutter devices --machine >"$raw/devices"
cat >"$raw/device.py" <<'PYTHON'
import json, sys
devices = [device for device in json.load(open(sys.argv[1])) if sys.argv[2] in ("", device["id"], device["name"])]
if devices:
    print(devices[0]["id"], devices[0]["name"], devices[0]["sdk"], sep="\t")
PYTHON
found=$(python3 "$raw/device.py" "$raw/devices" "${DEVICE:-}")
[ -n "$found" ] || fail 66 "no device: connect a device, and set DEVICE if there are several (flutter devices)"
rm "$raw/devices" "$raw/device.py"
IFS=$'\t' read -r device model os <<<"$found"
os=${os%% (*}
started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
echo "${0##*/}: $app on $model, $os"

for iteration in $(seq 1 "${PERFGATE_ITERATIONS:-${ITERATIONS:-5}}"); do
    mkdir "$raw/$iteration"
    for test in "${files[@]}"; do
        find "$summaries" -name '*.timeline_summary.json' -exec rm {} + 2>/dev/null || true
        flutter drive --profile --device-id "$device" --driver="$driver" --target="$test" >"$raw/said" 2>&1 ||
            { code=$?; tail -n 40 "$raw/said" >&2; fail "$code" "$test failed"; }
        rm "$raw/said"
        while IFS= read -r file; do
            [ ! -e "$raw/$iteration/${file##*/}" ] ||
                fail 65 "$test writes ${file##*/} too: give each traceAction a reportKey of its own"
            cp "$file" "$raw/$iteration"
        done < <(find "$summaries" -name '*.timeline_summary.json' 2>/dev/null)
    done
done
[ -n "$(find "$raw" -name '*.json' | head -n 1)" ] ||
    fail 66 "no test wrote a summary: does $driver call TimelineSummary.writeTimelineToFile?"
# The run records its start and the measured commit. It is named after its content, so each run of `perfgate measure` gets
# a name of its own.
commit=$(git rev-parse HEAD 2>/dev/null) || commit=
perfgate convert "$raw" --app "$app" --build profile --device "$model" --os "$os" --max-fps "$max_fps" |
    sed -E -e "s|^\{\"type\":\"run\",|&\"started_at\":\"$started\",${commit:+\"commit\":\"$commit\",}|" \
        -e "/^\{\"type\":\"(run|end)\"/s|\"run_id\":\"[^\"]*|&${PERFGATE_SIDE:+-$PERFGATE_SIDE-${PERFGATE_PAIR:-1}}|" \
        >"$logs/flutter-${started//[-:]/}.ndjson"

if [ -n "$check" ]; then
    rm -rf logs
    mv logs.part logs
    perfgate check logs --html perfgate.html
fi
