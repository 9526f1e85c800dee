# Print how a node runs the containers of a Deployment: a line for each, with its
# name, its image, options for podman and its command, separated by "|".
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: steps.py MANIFEST DIRECTORY
#
# Each volume is a directory in DIRECTORY, which every user may write to.

import os
import sys

import yaml


def mount_options(container, directory):
    """Yield the options for the volumes of CONTAINER."""
    for mount in container["volumeMounts"]:
        source = os.path.join(directory, mount["name"], mount.get("subPath", ""))
        mode = ":ro" if mount.get("readOnly") else ""
        yield from ("-v", source.rstrip("/") + ":" + mount["mountPath"] + mode)


def right_options(pod, container):
    """Yield the options for the user and the rights of CONTAINER in POD."""
    security = container["securityContext"]
    yield "--user=%d" % pod["securityContext"]["runAsUser"]
    if security["readOnlyRootFilesystem"]:
        yield "--read-only"
    if not security["allowPrivilegeEscalation"]:
        yield "--security-opt=no-new-privileges"
    for name in security["capabilities"]["drop"]:
        yield "--cap-drop=" + name.lower()


def options(pod, container, directory):
    """Yield all options for CONTAINER in POD."""
    yield from right_options(pod, container)
    yield from mount_options(container, directory)
    for variable in container.get("env", []):
        yield from ("-e", variable["name"] + "=" + variable["value"])


manifest, volumes = sys.argv[1:]
with open(manifest, encoding="utf-8") as stream:
    template = yaml.safe_load(stream)["spec"]["template"]["spec"]
for volume in template["volumes"]:
    directory = os.path.join(volumes, volume["name"])
    os.makedirs(directory)
    os.chmod(directory, 0o1777)
for each in template["initContainers"] + template["containers"]:
    print(each["name"], each["image"],
          " ".join(options(template, each, volumes)),
          " ".join(each.get("command", [])), sep="|")
