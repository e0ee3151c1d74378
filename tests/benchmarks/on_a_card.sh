#!/usr/bin/env bash
# What only a GPU can tell, one step after the other: each with its log, its exit code and what it measured in OUT.
#
#     tests/benchmarks/on_a_card.sh OUT                      everything
#     tests/benchmarks/on_a_card.sh OUT checks cuda talk     some of it
#
# `unedited` makes the README's table of kernels drawn from CORPUS, a folder of captures made before (`corpus.py capture -o CORPUS`, with this torch, on any
# machine), then `table.py --write`; VERIFIED are results of `unedited.py --no-timing` elsewhere, whose files are not verified again.
#
# `checks` runs its tests side by side, each in a process, but for those whose verdict is a time's; these and each other step have the card to themselves.
set -uo pipefail
cd "$(dirname "$0")/../.."
export PYTHONPATH=$PWD
out=$(realpath -m "$1")
shift
mkdir -p "$out"
lab="python -m inductor_lab"
results=tests/benchmarks

step() { # NAME SECONDS COMMAND...
    local name=$1 limit=$2
    shift 2
    local start=$SECONDS
    timeout "$limit" "$@" >"$out/$name.log" 2>&1
    echo "$name: exit $? after $((SECONDS - start)) s" | tee -a "$out/summary.txt"
}

alone="tests/test_step_gpu.py tests/measure/test_timing_gpu.py tests/measure/test_explained.py"
checks() {
    local folder=$out/checks
    mkdir -p "$folder"
    # Each test a process: files of many tests, each of which compiles C++, would keep all but one core waiting.
    python -m pytest --collect-only -q -m gpu tests 2>/dev/null | grep :: | grep -vF "${alone// /$'\n'}" |
        xargs -d '\n' -P "$(nproc)" -I{} sh -c 'log=$1/$(printf %s "$2" | tr -c "A-Za-z0-9\n" _).log
            timeout 400 python -m pytest -q -m gpu "$2" >"$log" 2>&1; echo "$? $2" >>"$1/exits"' _ "$folder" {}
    sort "$folder/exits" | cut -d" " -f1 | uniq -c | sed "s/^ *\([0-9]*\) \(.*\)/\1 tests: exit \2/" | tee -a "$out/summary.txt"
    # What failed beside others is asked again alone: some hold a time against another.
    grep -v "^0 " "$folder/exits" | cut -d" " -f2- | while read -r name; do
        step "$(printf %s "$name alone" | tr -c "A-Za-z0-9" _)" 120 python -m pytest -q -m gpu "$name" </dev/null
    done
    for file in $alone; do step "$(basename "$file" .py)" 300 python -m pytest -q -m gpu "$file"; done
}
cuda() { step cuda 580 python $results/cuda.py -o "$out/cuda_gpu.json"; }
talk() { step talk 580 python $results/talk_table.py -o "$out/talk"; }
diffs() {
    $lab eject lora_mlp_train_h200:0 -o "$out/mine.py" >"$out/eject.log" 2>&1
    step diff_against 200 $lab diff "$out/mine.py" --profile --against eager --against default --against max-autotune --json
    step diff_best 200 $lab diff "$out/mine.py" --best --launch graph --json
    step diff_in 200 $lab diff "$out/mine.py" --in lora_mlp_train_h200 --keep --json
}
grafts() { step grafts 1500 python $results/grafts.py captured/*_h200 -o "$out/grafts_gpu.json"; }
faults() { step faults 580 python $results/faults.py -o "$out/faults_gpu.json"; }
timing() { step timing 1500 python $results/timing_study.py -o "$out/timing_gpu.json"; }
unedited() {
    local captures=(captured/*_h200)
    for folder in "${CORPUS:-}"/*/; do [ -f "$folder/capture.json" ] && captures+=("$folder"); done
    step unedited 590 python $results/unedited.py "${captures[@]}" -o "$out/unedited_corpus.json" --kernels 200 --styles readable --effort quick \
        --again 2 --stop 540 ${VERIFIED:+--after "$VERIFIED"}
}

[ $# -gt 0 ] || set -- checks cuda talk diffs grafts faults timing
for name in "$@"; do
    case $name in
        checks | cuda | talk | diffs | grafts | faults | timing | unedited) "$name" ;;
        *) echo "error: there is no step $name: checks cuda talk diffs grafts faults timing unedited" >&2; exit 2 ;;
    esac
done
