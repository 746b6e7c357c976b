#!/usr/bin/env bash
# Builds the C++ engine with the compiler's sanitizers and runs games, players and random calls under them.
# Usage: tests/core/sanitize.sh [calls]; `make sanitize` calls it. Needs GCC or Clang with the sanitizers' libraries.
set -euo pipefail
cd "$(dirname "$0")/../.."
calls=${1:-200000}
python=$(.venv/bin/python -c 'import sys; print(sys._base_executable)')
packages=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
compiler=${CXX:-c++}

run() { # run SANITIZERS LIBRARY COMMAND...: with the module built for these sanitizers
    local kind=$1 library=$2 folder=build/sanitize-${1%%,*}
    shift 2
    if [ ! -e "$folder/built" ] || [ -n "$(find src CMakeLists.txt -newer "$folder/built")" ]; then
        echo "building with -fsanitize=$kind"
        rm -rf "$folder/site"
        .venv/bin/pip install --quiet --no-deps --no-build-isolation --target "$folder/site" \
            -C build-dir="$folder/cmake" -C cmake.define.BOARDWRIGHT_SANITIZE="$kind" .
        touch "$folder/built"
    fi
    rm -rf "$folder/python" && mkdir "$folder/python" # the sources of now, with the module that was built
    cp -r boardwright "$folder/python/" && cp "$folder"/site/boardwright/_core*.so "$folder/python/boardwright/"
    echo "-fsanitize=$kind: $*"
    # The interpreter outside .venv: the editable install in .venv would find the module without sanitizers.
    LD_PRELOAD="$($compiler -print-file-name="$library") $($compiler -print-file-name=libstdc++.so)" \
        ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=print_stacktrace=1 \
        PYTHONPATH="$PWD/$folder/python:$packages" setarch -R "$python" -s -P "$@"
}

run address,undefined libasan.so tests/core/fuzz.py --calls "$calls"
run address,undefined libasan.so -m pytest -q -p no:cacheprovider \
    tests/agents/test_montecarlo.py tests/agents/test_players.py tests/games/draughts/test_lines.py
run thread libtsan.so tests/core/fuzz.py --calls "$((calls / 10))" --threads 4
