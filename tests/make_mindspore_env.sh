#!/usr/bin/env bash
# Prints the Python of an environment with the real MindSpore; makes the environment if it is
# missing. The parity tests find it in the same two places, and skip without it.
set -euo pipefail

version=2.10.0
cache=${XDG_CACHE_HOME:-$HOME/.cache}/msconvert
environment=$cache/mindspore-$version
python=${MSCONVERT_MINDSPORE_PYTHON:-$environment/bin/python}

if [ -z "${MSCONVERT_MINDSPORE_PYTHON:-}" ] && [ ! -e "$environment" ]; then
    mkdir -p "$cache"
    # Made under another name and renamed, so that a broken installation is never found.
    unfinished=$(mktemp -d "$cache/unfinished.XXXXXX")
    trap 'rm -rf "$unfinished"' EXIT
    "${PYTHON:-python3}" -m venv "$unfinished" >&2
    "$unfinished/bin/python" -m pip install --quiet "mindspore==$version" "numpy<2" >&2
    # Refused if somebody else was faster: theirs is as good.
    mv -T "$unfinished" "$environment" 2>/dev/null || test -e "$environment"
fi

"$python" -c "import importlib.util as u, sys; sys.exit(u.find_spec('mindspore') is None)" || {
    echo "$python has no mindspore; unset MSCONVERT_MINDSPORE_PYTHON or remove $environment" >&2
    exit 1
}
echo "$python"
