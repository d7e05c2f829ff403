"""Test the build on a bare Debian: `make bare SUITE=trixie`, as root, with debootstrap.

A new root below /var/tmp has what CONTRIBUTING.md asks for, and a clone of the last commit. In it
`make run` is looked at and interrupted, then `CI=1 make test` runs. What is in the environment
says how mirrors and registries are reached from here:

    BARE_MIRROR     where debootstrap fetches from (default: Debian's own)
    BARE_FILES      files to copy in, as PATH or PATH:PATH-IN-THE-ROOT, separated by spaces
    BARE_VARIABLES  names of environment variables to pass on; those of proxies always are
    BARE_COMMAND    run this in the root of last time, with today's commit, instead
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.first_look import first_look

PACKAGES = ("python3", "python3-venv", "make", "ca-certificates", "git", "g++")
_SOURCE = "/root/inspector"
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_BOTH = "python3 -m tools.bare look && CI=1 make test"
# Mounts and processes are of namespaces that end with the command: nothing of them stays.
_ENTER = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
_MOUNTED = """
mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" || exit
root=$1; shift; chroot "$root" "$@"
"""


def main() -> None:
    """Make the root and run both commands in it; `look`, inside of it, is the first of them."""
    suite = sys.argv[1]
    if suite == "look":
        with tempfile.TemporaryDirectory() as store:
            first_look(["make", "run"], Path(store), Path.cwd(), sessions=1)
        sys.stdout.write("`make run` installs what it needs, serves, and shows a session.\n")
        return
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        raise SystemExit("make bare: needs root, and on Debian and Ubuntu: apt install debootstrap")
    root = Path("/var/tmp") / f"inspector-bare-{suite}"
    command = os.environ.get("BARE_COMMAND")
    if command is None or not (root / "usr").exists():
        _make(suite, root)
    _bring_source(root)
    sys.exit(_run(root, f"cd {_SOURCE} && {{ {command or _BOTH}; }}; exit $?"))


def _make(suite: str, root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    mirror = os.environ.get("BARE_MIRROR", "http://deb.debian.org/debian")
    packages = f"--include={','.join(PACKAGES)}"
    subprocess.run(["debootstrap", "--variant=minbase", packages, suite, root, mirror], check=True)
    for pair in ["/etc/resolv.conf", *shlex.split(os.environ.get("BARE_FILES", ""))]:
        source, _, target = pair.partition(":")
        copy = root / (target or source).lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
    if _run(root, "update-ca-certificates --fresh >/dev/null"):
        raise SystemExit(f"make bare: cannot run a command in {root}")


def _bring_source(root: Path) -> None:
    """Fetch the last commit; earlier build results stay, as in any checkout."""
    source = root / _SOURCE.lstrip("/")
    if not source.exists():
        subprocess.run(["git", "clone", "--quiet", "--no-local", Path.cwd(), source], check=True)
    git = ("git", "-C", str(source))
    subprocess.run([*git, "fetch", "--quiet", Path.cwd(), "HEAD"], check=True)
    subprocess.run([*git, "reset", "--quiet", "--hard", "FETCH_HEAD"], check=True)


def _run(root: Path, command: str) -> int:
    """Run a shell command in the root, with an environment of its own, and return its status."""
    passed_on = (*_PROXIES, *os.environ.get("BARE_VARIABLES", "").split())
    environment = {name: os.environ[name] for name in passed_on if name in os.environ} | {
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    }
    entered = [*_ENTER, "sh", "-c", _MOUNTED, "sh", str(root), "sh", "-c", command]
    return subprocess.run(entered, env=environment, check=False).returncode


if __name__ == "__main__":
    main()
