"""The command line of the scripts of this folder."""

import argparse
import sys
from pathlib import Path

from .install import install, installed_version


def parser(description):
    """The options that all scripts have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clients", type=Path, metavar="CLIENTS")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--trimtab", type=Path, required=True, metavar="FILE")
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--keep", metavar="FOLDER", help="an empty folder that keeps homes, requests and output")
    return parser


def parsed(parser):
    options = parser.parse_intermixed_args()
    options.clients, options.trimtab = options.clients.resolve(), options.trimtab.resolve()
    return options


def chosen(options, clients):
    """Those of the clients that are named, or all of them; with `--install` they are installed first."""
    known = {client.name: client for client in clients}
    unknown = [name for name in options.names if name not in known]
    if unknown:
        sys.exit(f"unknown client: {', '.join(unknown)}; known: {', '.join(known)}")
    clients = [known[name] for name in options.names] or clients
    if options.install:
        for client in clients:
            install_pinned(client, options)
    return clients


def install_pinned(package, options):
    if installed_version(package, options.clients) != package.version:
        print(f"installing {package.name} {package.version}", file=sys.stderr)
        install(package, options.clients)


def not_installed(client, options):
    """Why the client is skipped."""
    return f"no {client.package} in {options.clients / client.name}"


def finish(options, clients, is_different, absent):
    """Ends with exit code 1 if anything differs, and 2 if a client that is named, or every client, is not installed."""
    if is_different:
        sys.exit(1)
    if absent and (options.names or len(absent) == len(clients)):
        sys.exit(2)
