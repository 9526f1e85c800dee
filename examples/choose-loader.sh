#!/bin/sh
# Choose a loader for the glibc of the image in which this script runs.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: choose-loader.sh LOADERS OVER CHOSEN
#
# LOADERS is a directory of loaders, one for each distribution and release of
# glibc, as loaders.containerfile makes it.  OVER is the image's own loader.
# CHOSEN is the file to write, which is then mounted over OVER.  If one of our
# loaders is for the image's release and works here, the script copies this
# loader to CHOSEN.  If there is no such loader, the script copies OVER to
# CHOSEN, so that programs start under the image's own loader.  The script
# prints its choice in a line, and fails only if CHOSEN cannot be written.  It
# needs only cat, mv and chmod, which each image with a shell has, and which a
# static busybox has.
set -u
loaders=$1
over=$2
chosen=$3

say ()
{
  echo "hugetext: $*"
}

# Print the distribution and the release in the first line of TEXT, for example
# "ld.so (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36.".  A loader
# does not fit a libc of another distribution or release, but fits updates
# within a release.
release_in ()
{
  said=${1%%"
"*}
  maker=${said#*"("}
  test "$maker" != "$said" || return 1
  said=${said##* }
  echo "${maker%% *} glibc ${said%.}"
}

# Print the release of the image's own loader.  glibc's loader has --version
# from 2.33 on; libc prints the same line.
ask_over ()
{
  "$over" --version 2>/dev/null || "$over" libc.so.6 2>/dev/null
}

# Print the path of the loader for RELEASE, if there is one.
find_loader ()
{
  for loader in "$loaders"/*.so; do
    said=$("$loader" --version 2>/dev/null) || continue
    if test "$(release_in "$said")" = "$1"; then
      echo "$loader"
      return 0
    fi
  done
  return 1
}

# Whether the program that comes with the loaders runs under LOADER.
passes_trial ()
{
  test -x "$loaders/trial" || return 0
  test "$("$1" "$loaders/trial" 2>&1)" = good
}

# Copy the file $1 to CHOSEN, as a whole or not at all, readable for all users.
write_chosen ()
{
  if cat <"$1" >"$chosen.new" && chmod 755 "$chosen.new" \
      && mv -f "$chosen.new" "$chosen"; then
    return 0
  fi
  say "$chosen cannot be written"
  exit 1
}

if ! test -e "$over"; then
  say "this image has no $over, and therefore no glibc (musl, or static" \
    "programs?): its programs start as without ld-hugetext"
  # The mount over OVER needs an existing file CHOSEN.
  write_chosen /dev/null
elif ! said=$(ask_over) || ! release=$(release_in "$said"); then
  say "the glibc release of $over is unknown: programs start under $over"
  write_chosen "$over"
elif ! loader=$(find_loader "$release"); then
  say "$loaders has no loader for $release: programs start under $over"
  write_chosen "$over"
elif ! passes_trial "$loader"; then
  say "$loader, for $release, failed its trial: programs start under $over"
  write_chosen "$over"
else
  say "programs start under $loader, which is for $release"
  write_chosen "$loader"
fi
