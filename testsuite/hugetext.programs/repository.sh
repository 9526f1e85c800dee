# Make a repository in DIRECTORY, with history, merges and packs.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: repository.sh DIRECTORY, with the path of git in GIT and, if it is
# to be run by a loader, that one's in RUN.

set -e
export GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org
export GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org

git () { $RUN "$GIT" "$@"; }

at ()
{
  GIT_AUTHOR_DATE="$1 +0000" GIT_COMMITTER_DATE="$1 +0000"
  export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
}

git init -q -b main "$1"
cd "$1"
for n in 1 2 3 4 5; do
  at "170000000$n"
  seq $n 3 $((n * 500)) >file$n
  git add file$n
  git commit -q -m "Add file $n"
done
at 1700000010
git checkout -q -b side HEAD~2
seq 1000 2000 >side
git add side
git commit -q -m "On the side"
git checkout -q main
at 1700000011
git merge -q -m "Merge" side
git mv file1 moved
git commit -q -m "Move"
git tag -a -m "Tag" v1
git log --stat --graph --format='%H %an %ad %s' --date=iso
git diff --stat HEAD~3 HEAD
git blame -s moved | tail -n 3
git grep -c 99 | sort
git gc -q --prune=now
git fsck --strict
git count-objects -v | grep -v size
git bundle create -q ../repository.bundle main
git clone -q "$1" clone
git -C clone rev-parse HEAD
git archive HEAD | sha256sum
git cat-file --batch-check --batch-all-objects
