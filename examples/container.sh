#!/bin/sh
# Run a container with the text of its programs on huge pages.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: container.sh [OPTION...] IMAGE [COMMAND...]    like podman run
#
# The image must have the glibc for which ld-hugetext.so was built;
# choose-loader.sh chooses one of several loaders for an image.  Variables in
# the environment: RUNTIME is podman or docker, LOADER the path of
# ld-hugetext.so, OVER the path of the image's own loader.
loader=${LOADER:-/usr/local/lib/ld-hugetext/ld-hugetext.so}
over=${OVER:-/lib64/ld-linux-x86-64.so.2}
# Engines would make a volume if the loader's path were relative.
path=$(realpath -e "$loader") || {
  echo "$0: no loader: install ld-hugetext, or set LOADER to the path of" \
    "ld-hugetext.so" >&2
  exit 1
}
exec "${RUNTIME:-podman}" run --rm -v "$path:$over:ro" \
  -e GLIBC_TUNABLES=glibc.mem.hugetext=5 "$@"
