#!/bin/sh
# The front door: starts the grader with a Python that has what it needs.
#
#   ./check.sh p17     check an exercise       ./check.sh test    run the project's tests
#   ./check.sh --help  all there is            ./check.sh all     everything, before a commit
#
# Only the short way is here: ./.venv is known to be complete, so nothing is probed. All that
# takes thought (other interpreters, installing, `test`, `all`) is in grader/bootstrap/.
set -eu

self=$0
case $self in */*) ;; *) self=./$self ;; esac
while [ -L "$self" ]; do # a link to this file, from wherever
    link=$(readlink "$self")
    case $link in /*) self=$link ;; *) self=${self%/*}/$link ;; esac
done
# With CDPATH set, cd may go elsewhere and prints where it went.
root=$(CDPATH='' cd -- "${self%/*}/" && pwd -P)
venv=$root/.venv

# Whether ./.venv holds what is pinned now: bootstrap keeps copies of what it installed.
# Where there is no cmp, the answer is no, and bootstrap looks once more.
complete() {
    [ -x "$venv/bin/python" ] && [ -d "$venv/ready/torch" ] &&
        cmp -s "$root/requirements/base.txt" "$venv/ready/base.txt" &&
        cmp -s "$root/requirements/torch.txt" "$venv/ready/torch.txt"
} 2>/dev/null

case ${1-} in
test | all) ;; # need the development extras as well
*) if complete; then exec "$venv/bin/python" "$root/grader/__main__.py" "$@"; fi ;;
esac

for python in ${VIRTUAL_ENV:+"$VIRTUAL_ENV/bin/python"} python3 python \
    python3.11 python3.12 python3.13 python3.14 "$venv/bin/python"; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' </dev/null >/dev/null 2>&1; then
        # -P: its neighbours must not pass for modules of the standard library.
        exec "$python" -P "$root/grader/bootstrap/__main__.py" "$@"
    fi
done

cat >&2 <<'END'
check.sh: 找不到 Python 3.11 或更新的版本。请先安装一个（python.org、系统的包管理器，或 uv python install 3.13），再运行一次。
check.sh: no Python 3.11 or newer was found. Install one (python.org, your system's packages, or uv python install 3.13), then run this again.
END
exit 3
