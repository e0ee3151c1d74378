#!/usr/bin/env bash
# Captures every workload into DIR, forward and training: real ones on the GPU of this machine, and virtual ones for an H200 with the same torch.
#   tests/benchmarks/capture_all.sh DIR [JOBS]
set -u
dir=$1; jobs=${2:-4}; python=${PYTHON:-python3}
one() {  # name, options
    local name=$1; shift
    "$python" -m inductor_lab capture "$@" --gpu real -o "$dir/${name}_h200" > "$dir/$name.out" 2>&1 || { echo "FAILED real $name"; tail -3 "$dir/$name.out"; }
    "$python" -m inductor_lab capture "$@" --gpu h200 -o "$dir/${name}_h200_virtual" > "$dir/$name.virtual.out" 2>&1 || { echo "FAILED virtual $name"; tail -3 "$dir/$name.virtual.out"; }
}
mkdir -p "$dir"
while read -r name options; do
    # shellcheck disable=SC2086
    one "$name" $options < /dev/null &
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
done <<'LIST'
dlrm_train dlrm --train
dlrm dlrm
lora_mlp lora_mlp
lora_mlp_train lora_mlp --train
lora_mlp_bf16 lora_mlp --dtype bf16
lora_mlp_train_bf16 lora_mlp --train --dtype bf16
rotary rotary --dtype bf16
rotary_train rotary --train --dtype bf16
rotary_attention rotary_attention
rotary_attention_train rotary_attention --train
rotary_attention_bf16 rotary_attention --dtype bf16
rotary_attention_train_bf16 rotary_attention --train --dtype bf16
sparse_ffn sparse_ffn
sparse_ffn_train sparse_ffn --train
LIST
wait
rm -f "$dir"/*.out
