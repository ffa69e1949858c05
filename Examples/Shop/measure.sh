#!/usr/bin/env bash
# Measures the app: builds it, runs its tests N times on a device or simulator, and gets the logs off.
#
#   ./measure.sh                             measures into logs/, and ends with `perfgate check logs`
#   ./measure.sh LOGS                        measures into the folder LOGS, which another step checks
#   ./measure.sh LOGS --only-pages FILE      measures the pages that FILE names, one a line
#
# DEVICE            the identifier (UDID) of the device or simulator; without it, the connected device or booted simulator
# ITERATIONS        how often every page is visited, 5 without it
# PERFGATE_RUN_ID   the run, which several machines may share; made up without it
# PERFGATE_SHARD    the share of the pages that this machine measures, such as 2/3; all without it
#
# Exit codes: those of xcodebuild and of `perfgate check`; 64 usage, 66 no device, project, perfgate or log, 73 LOGS isn't empty.
#
# To use it for another app, change the seven lines below. The tests read SHOP_PAGES, SHOP_ITERATIONS and PERFGATE_*.
set -euo pipefail
project=App/Shop.xcodeproj   # or the .xcworkspace
scheme=Shop
bundle=com.example.shop
ui_tests=ShopUITests     # starts the app for each iteration, from another process
app_tests=ShopAppTests   # runs in the app, and attaches its log to the result: for devices older than iOS 17
pages=(Feed Search Product component/PriceTag component/ProductRow)
spec=App/project.yml     # of XcodeGen; where your project is committed, leave it empty

fail() {
    code=$1
    shift
    printf 'measure.sh: %s\n' "$*" >&2
    exit "$code"
}

# Where it was copied to the root of a repository, the app is in the folder that SHOP names.
called_in=$PWD
cd "${SHOP:-$(dirname "$0")}"
only='' logs='' check=''
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
case "$logs" in /*) ;; *) logs=$called_in/$logs ;; esac
case "$only" in "" | /*) ;; *) only=$called_in/$only ;; esac
if [ -n "$check" ]; then
    command -v perfgate >/dev/null || fail 66 "perfgate isn't on PATH; give a folder for the logs to measure without it"
    rm -rf "$logs"
fi
if [ -n "$(find "$logs" -type f 2>/dev/null | head -n 1)" ]; then
    fail 73 "$logs holds files already: remove them, so that no log of an earlier run is taken for one of this run"
fi
mkdir -p "$logs"

# Which pages: those of the list that the app has, or this machine's share.
if [ -n "$only" ]; then
    [ -f "$only" ] || fail 66 "$only isn't there"
    wanted=()
    for page in "${pages[@]}"; do
        if grep -qxF -- "$page" "$only"; then wanted+=("$page"); fi
    done
    [ "${#wanted[@]}" -gt 0 ] || fail 66 "$only names none of the pages ${pages[*]}"
    pages=("${wanted[@]}")
elif [ -n "${PERFGATE_SHARD:-}" ]; then
    share=${PERFGATE_SHARD%/*} shares=${PERFGATE_SHARD#*/} wanted=()
    for index in "${!pages[@]}"; do
        if [ $((index % shares + 1)) = "$share" ]; then wanted+=("${pages[$index]}"); fi
    done
    [ "${#wanted[@]}" -gt 0 ] || fail 64 "PERFGATE_SHARD=$PERFGATE_SHARD leaves no page: there are ${#pages[@]}"
    pages=("${wanted[@]}")
fi

# Which device: what `devicectl` says of devices and `simctl` of simulators, as JSON.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
xcrun devicectl list devices --json-output "$scratch/devices.json" >/dev/null 2>&1 || echo '{}' >"$scratch/devices.json"
xcrun simctl list devices --json >"$scratch/simulators.json"
cat >"$scratch/find.py" <<'PYTHON'
import json, pathlib, sys
folder, wanted = pathlib.Path(sys.argv[1]), sys.argv[2]
devices = json.loads((folder / "devices.json").read_text()).get("result", {}).get("devices", [])


def connection(device):
    return device.get("connectionProperties", {})


# The list holds watches, and every device that was ever paired. A cable comes before the network.
devices.sort(key=lambda device: (connection(device).get("transportType") != "wired", connection(device).get("tunnelState") != "connected"))
for device in devices:
    hardware, properties = device.get("hardwareProperties", {}), device.get("deviceProperties", {})
    reachable = connection(device).get("tunnelState") in ("connected", "disconnected") and "transportType" in connection(device)
    usable = reachable and hardware.get("productType", "").startswith(("iPhone", "iPad", "iPod"))
    if wanted in (hardware.get("udid"), device.get("identifier")) or not wanted and usable:
        print("device", hardware["udid"], properties.get("osVersionNumber", "0"), hardware.get("productType", "?"), sep="\t")
        sys.exit()
for runtime, simulators in json.loads((folder / "simulators.json").read_text())["devices"].items():
    for simulator in simulators:
        if wanted == simulator["udid"] or not wanted and simulator["state"] == "Booted":
            version = runtime.rpartition(".")[2].partition("-")[2].replace("-", ".")
            print("simulator", simulator["udid"], version, simulator["name"], sep="\t")
            sys.exit()
# A device that is older than iOS 17 is known to xcodebuild alone.
if wanted:
    print("device", wanted, "16", "?", sep="\t")
PYTHON
found=$(python3 "$scratch/find.py" "$scratch" "${DEVICE:-}")
[ -n "$found" ] || fail 66 "no device is connected and no simulator is booted: set DEVICE (xcrun xctrace list devices)"
IFS=$'\t' read -r kind device version model <<<"$found"
commit=$(git -C "$called_in" rev-parse HEAD 2>/dev/null) || commit=
echo "measure.sh: ${pages[*]} on $kind $model ($device), iOS $version, commit ${commit:-unknown}"

# How its logs come off.
if [ "$kind" = simulator ]; then
    way=container tests=$ui_tests
    xcrun simctl bootstatus "$device" -b >/dev/null
elif [ "${version%%.*}" -ge 17 ]; then
    way=devicectl tests=$ui_tests
else
    way=attachments tests=$app_tests
fi

if [ -n "$spec" ] && [ ! -d "$project" ]; then
    [ -f "$spec" ] || fail 66 "neither $project nor $spec is in $PWD: correct the lines at the top of this file"
    command -v xcodegen >/dev/null || fail 66 "$project isn't there, and neither is xcodegen: brew install xcodegen"
    xcodegen --quiet --spec "$spec"
fi
[ -d "$project" ] || fail 66 "$project isn't in $PWD: correct the lines at the top of this file"
kind_of_project=-project
case "$project" in *.xcworkspace) kind_of_project=-workspace ;; esac
build=("$kind_of_project" "$project" -scheme "$scheme" -configuration Release -destination "id=$device" -derivedDataPath build)
xcodebuild build-for-testing "${build[@]}" -allowProvisioningUpdates SHOP_COMMIT="$commit" >"$scratch/build.log" 2>&1 ||
    { tail -n 40 "$scratch/build.log" >&2; fail 1 "the app doesn't build"; }

# The app is installed afresh, so that its folder holds no run of yesterday.
case "$way" in
container) xcrun simctl uninstall "$device" "$bundle" >/dev/null 2>&1 || true ;;
devicectl) xcrun devicectl device uninstall app --device "$device" "$bundle" >/dev/null 2>&1 || true ;;
esac

# xcodebuild hands every variable TEST_RUNNER_X to the tests as X.
export TEST_RUNNER_PERFGATE_RUN_ID=${PERFGATE_RUN_ID:-r-$(date -u +%Y%m%dT%H%M%SZ)-$$}
export TEST_RUNNER_PERFGATE_SHARD=${PERFGATE_SHARD:-}
export TEST_RUNNER_SHOP_ITERATIONS=${ITERATIONS:-5}
TEST_RUNNER_SHOP_PAGES=$(IFS=,; echo "${pages[*]}")
export TEST_RUNNER_SHOP_PAGES
code=0
xcodebuild test-without-building "${build[@]}" -only-testing:"$tests" -resultBundlePath "$scratch/Tests.xcresult" \
    >"$scratch/test.log" 2>&1 || code=$?
[ "$code" = 0 ] || tail -n 40 "$scratch/test.log" >&2

copied=0
case "$way" in
container)
    container=$(xcrun simctl get_app_container "$device" "$bundle" data) || copied=$?
    cp -R "$container/Library/Application Support/perfgate/." "$logs" || copied=$?
    ;;
devicectl)
    xcrun devicectl device copy from --device "$device" --domain-type appDataContainer --domain-identifier "$bundle" \
        --source "Library/Application Support/perfgate" --destination "$logs" >/dev/null ||
        copied=$?
    ;;
attachments)
    xcrun xcresulttool export attachments --path "$scratch/Tests.xcresult" --output-path "$scratch/attachments" >/dev/null ||
        copied=$?
    for file in "$scratch"/attachments/*; do
        [ -f "$file" ] || continue
        if head -c 13 "$file" | grep -aq '^{"type":"run"'; then cp "$file" "$logs/$(basename "$file").ndjson"; fi
    done
    ;;
esac
[ "$code" = 0 ] || fail "$code" "the tests failed; what they measured until then is in $logs"
if [ "$copied" != 0 ] || [ -z "$(find "$logs" -name '*.ndjson' | head -n 1)" ]; then
    fail 66 "no log came off the device: does the app start a PerformanceSession?"
fi

if [ -n "$check" ]; then
    cd "$called_in"
    perfgate check "$logs" --html perfgate.html
fi
