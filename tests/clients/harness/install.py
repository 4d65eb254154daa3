"""Installs the clients from the registries of npm and Python, each into a folder of its own."""

import json
import platform
import shutil
import subprocess
import sys


def install(client, clients):
    """Installs the client into a folder of its own below `clients`."""
    target = clients / client.name
    target.mkdir(parents=True, exist_ok=True)
    if client.registry == "npm":
        packages = [f"{client.package}@{client.version}"]
        if client.node:
            packages.append(f"{node_package()}@{client.node}")
        command = ["npm", "install", "--prefix", str(target), "--no-audit", "--no-fund", *packages]
    else:
        interpreter = python_for(client.python)
        if interpreter is None:
            print(f"*** {client.name} needs Python {'.'.join(map(str, client.python))}", file=sys.stderr)
            return False
        subprocess.run([interpreter, "-m", "venv", str(target)], check=True)
        package = f"{client.package}=={client.version}"
        command = [str(target / "bin" / "python"), "-m", "pip", "install", "--quiet", package]
    done = subprocess.run(command, cwd=target, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(f"*** {client.name} could not be installed:\n{done.stdout[-2000:]}", file=sys.stderr)
    return done.returncode == 0


def python_for(oldest):
    """An interpreter of this version or a newer one."""
    if sys.version_info >= oldest:
        return sys.executable
    names = [f"python3.{minor}" for minor in range(oldest[1], oldest[1] + 4)]
    for name in filter(shutil.which, names):
        # A shim is found, but fails, where the version is not the chosen one.
        if subprocess.run([name, "-c", ""], capture_output=True).returncode == 0:
            return name
    return None


def installed_version(client, clients):
    """The version below `clients`, or none."""
    target = clients / client.name
    if client.registry == "npm":
        manifest = target / "node_modules" / client.package / "package.json"
        return json.loads(manifest.read_text())["version"] if manifest.exists() else None
    prefix = client.package.replace("-", "_").lower()
    for found in target.glob("lib/python*/site-packages/*.dist-info"):
        name, _, version = found.name[: -len(".dist-info")].partition("-")
        if name.lower() == prefix:
            return version
    return None


def node_package():
    """The package that has Node.js for this machine."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
    name = platform.machine().lower()
    return f"node-{platform.system().lower()}-{machine.get(name, name)}"
