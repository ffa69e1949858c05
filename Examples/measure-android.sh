#!/usr/bin/env bash
# Measures an unmodified Android app, and converts Android's own numbers into perfgate's log.
#
#   ./measure-android.sh                   measures into logs/, and ends with `perfgate check logs`
#   ./measure-android.sh LOGS              measures into the folder LOGS, which another step checks
#   ./measure-android.sh LOGS --only-pages FILE      measures the pages in FILE, one per line
#   ./measure-android.sh --macrobenchmark [LOGS] [--only-pages FILE]
#   perfgate measure --base origin/main --head HEAD --run-command ./measure-android.sh
#
# The first forms open and scroll each screen N times, and read `dumpsys gfxinfo` after each: N iterations of a run.
# The fourth form runs the app's Macrobenchmark module, if it has one, and reads its benchmarkData.json.
# perfgate must be on PATH: it writes app, build and device into the log, so the checking step needs no flags.
#
# `perfgate measure` calls the script for two commits in turn. It sets PERFGATE_OUT (LOGS), PERFGATE_TREE (the checkout to
# build), PERFGATE_SIDE and PERFGATE_PAIR (the run), PERFGATE_ITERATIONS, and PERFGATE_PAGES_FILE (the pages that are
# still open). Macrobenchmarks have to read their iterations themselves, from the instrumentation argument `iterations`.
#
# It builds with `./gradlew assembleRelease`, which must give a signed APK. `perfgate measure` builds in new checkouts without
# `local.properties`, so set ANDROID_HOME. The page Measure.md of perfgate's documentation has all steps and the times.
#
# ANDROID_SERIAL  the device, if several are connected; adb and Gradle read it too
# ITERATIONS      the number of scrolls of each screen, 5 by default
# SETTLE          the seconds that a screen has to come to rest, 2 by default
#
# Exit codes: those of adb, Gradle and perfgate; 64 usage, 66 no device, no such page or nothing measured, 73 LOGS
# isn't empty.
#
# To use it for another app, change the lines below.
set -euo pipefail
app=com.example.shop
build=release
max_fps=60
# One screen per line: the name of its page, a bar, and the link or activity that opens it.
screens='Feed           | -a android.intent.action.VIEW -d shop://feed
Search         | -a android.intent.action.VIEW -d shop://search?q=tea&sort=price
Product detail | -n com.example.shop/.ProductActivity'
apk=app/build/outputs/apk/release/app-release.apk
benchmarks=benchmark/build/outputs/connected_android_test_additional_output

fail() {
    code=$1
    shift
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit "$code"
}

way=gfxinfo logs=${PERFGATE_OUT:-} only='' check=''
while [ $# -gt 0 ]; do
    case "$1" in
    --macrobenchmark) way=macrobenchmark ;;
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
# The phone's shell reads the names of benchmarks, so only plain ones are selected.
plain='[A-Za-z0-9_.]+#[A-Za-z0-9_]+(\[.*)?'
# `perfgate measure` may name a page that can't be selected. Then all are measured.
open=${PERFGATE_PAGES_FILE:-}
if [ -z "$only" ] && [ -n "$open" ]; then
    case "$way" in
    gfxinfo) other=$(grep -vxF -f <(sed -n 's/^[[:space:]]*//; s/[[:space:]]*|.*//p' <<<"$screens") -- "$open") || true ;;
    macrobenchmark) other=$(LC_ALL=C grep -vxE -- "$plain" "$open") || true ;;
    esac
    [ -n "$other" ] || only=$open
fi
[ -z "$only" ] || [ -f "$only" ] || fail 66 "$only isn't there"

# The pages, and the arguments that open them; or the benchmarks, whose parameters Gradle can't select.
names=() opens=() arguments=()
while IFS='|' read -r name open; do
    [ -n "$name$open" ] || continue
    [ -n "$open" ] || fail 64 "the screen '$name' lacks a bar, and the link or activity that opens it"
    read -r name <<<"$name"
    [ -z "$only" ] || grep -qxF -- "$name" "$only" || continue
    names+=("$name") opens+=("$open")
done <<<"$screens"
if [ "$way" = macrobenchmark ] && [ -n "$only" ]; then
    names=()
    while read -r name; do names+=("$name"); done < <(LC_ALL=C grep -xE -- "$plain" "$only" | sed 's/\[.*//' | LC_ALL=C sort -u)
    arguments=("-Pandroid.testInstrumentationRunnerArguments.class=$(IFS=,; echo "${names[*]-}")")
fi
[ -z "${PERFGATE_ITERATIONS:-}" ] || arguments+=("-Pandroid.testInstrumentationRunnerArguments.iterations=$PERFGATE_ITERATIONS")
[ -z "$only" ] || [ "${#names[@]}" -gt 0 ] || fail 66 "$only names none of the pages that $way measures"
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
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
raw=$scratch/raw
mkdir "$raw"

adb get-state >/dev/null 2>&1 || fail 66 "no device: connect a device, and set ANDROID_SERIAL if there are several (adb devices)"
# The phone's own shell interprets & and ;.
quoted() { printf "'%s' " "$@"; }
property() { adb shell getprop "$1" | tr -d '\r'; }
model=$(property ro.product.model)
os="Android $(property ro.build.version.release)"
flags=(--app "$app" --build "$build" --max-fps "$max_fps")
started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
echo "${0##*/}: $way of $app on $model, $os"

case "$way" in
gfxinfo)
    flags+=(--device "$model" --os "$os")
    ./gradlew --quiet assembleRelease
    # The other commit's build may be newer, or signed with another key. Only then the app's data is removed.
    adb install -r "$apk" >/dev/null || {
        code=$?
        [ -n "${PERFGATE_SIDE:-}" ] || exit "$code"
        adb uninstall "$app" >/dev/null
        adb install -r "$apk" >/dev/null
    }
    size=$(adb shell wm size | tr -d '\r' | sed -n 's/.*: //p' | tail -n 1)
    width=${size%x*} height=${size#*x}
    for _ in $(seq 1 "${PERFGATE_ITERATIONS:-${ITERATIONS:-5}}"); do
        for index in "${!names[@]}"; do
            screen=${names[$index]}
            adb shell am force-stop "$app"
            read -ra words <<<"${opens[$index]}"
            said=$(adb shell am start -W "$(quoted "${words[@]}")" 2>&1)
            case "$said" in
            *"Status: ok"*) ;;
            *) fail 66 "$screen doesn't open: $said" ;;
            esac
            sleep "${SETTLE:-2}"
            adb shell dumpsys gfxinfo "$app" reset >/dev/null
            for _ in 1 2 3 4 5 6; do
                adb shell input swipe $((width / 2)) $((height * 3 / 4)) $((width / 2)) $((height / 4)) 300
                sleep "${SETTLE:-2}"
            done
            # Android counts by process. Here each process showed one screen, and its name gets the screen's name.
            adb shell dumpsys gfxinfo "$app" | tr -d '\r' | APP="[$app] **" PROCESS="[$app:$screen] **" awk '
                at = index($0, ENVIRON["APP"]) { $0 = substr($0, 1, at - 1) ENVIRON["PROCESS"] }
                { print }' >>"$raw/gfxinfo.txt"
            # Home before the app ends, so its last frames aren't lost.
            adb shell input keyevent KEYCODE_HOME
        done
    done
    ;;
macrobenchmark)
    rm -rf "$benchmarks"
    ./gradlew --quiet :benchmark:connectedBenchmarkAndroidTest ${arguments[@]+"${arguments[@]}"}
    find "$benchmarks" -name '*benchmarkData.json' -exec cp {} "$raw" \;
    ;;
esac
[ -n "$(find "$raw" -type f | head -n 1)" ] || fail 66 "nothing was measured"
# The page is the screen; the run records its start and the measured commit. It is named after its content, so each run
# of `perfgate measure` gets a name of its own.
printf '%s\n' 'schema: 1' 'map:' "  - { format: gfxinfo, pattern: '^[^:]+:(?<page>.+)\$' }" >"$scratch/perfgate.yml"
commit=$(git rev-parse HEAD 2>/dev/null) || commit=
perfgate convert "$raw" "${flags[@]}" --config "$scratch/perfgate.yml" |
    sed -E -e "s|^\{\"type\":\"run\",|&\"started_at\":\"$started\",${commit:+\"commit\":\"$commit\",}|" \
        -e "/^\{\"type\":\"(run|end)\"/s|\"run_id\":\"[^\"]*|&${PERFGATE_SIDE:+-$PERFGATE_SIDE-${PERFGATE_PAIR:-1}}|" \
        >"$logs/$way-${started//[-:]/}.ndjson"

if [ -n "$check" ]; then
    rm -rf logs
    mv logs.part logs
    perfgate check logs --html perfgate.html
fi
