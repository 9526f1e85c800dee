# Check manifests of Kubernetes: they are YAML, selectors match labels, mounts have
# volumes, and containers give up what they can.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: manifest.py FILE...

import sys

import yaml


def check(name, manifest):
    """Print what is wrong with MANIFEST of the file NAME."""
    def wrong(*words):
        print(name + ":", *words)

    if manifest.get("apiVersion") != "apps/v1" \
            or manifest.get("kind") not in ("Deployment", "DaemonSet"):
        wrong("kind", manifest.get("apiVersion"), manifest.get("kind"))
        return
    spec = manifest["spec"]
    template = spec["template"]
    if spec["selector"]["matchLabels"] != template["metadata"]["labels"]:
        wrong("the selector does not match the labels")
    pod = template["spec"]
    if pod["securityContext"]["seccompProfile"] != {"type": "RuntimeDefault"}:
        wrong("seccompProfile")
    volumes = {volume["name"] for volume in pod["volumes"]}
    mounted = set()
    for container in pod.get("initContainers", []) + pod["containers"]:
        security = container["securityContext"]
        if security["allowPrivilegeEscalation"] \
                or not security["readOnlyRootFilesystem"] \
                or security["capabilities"]["drop"] != ["ALL"]:
            wrong(container["name"], "keeps rights:", security)
        added = security["capabilities"].get("add", [])
        if "SETUID" in added and "KILL" not in added:
            wrong(container["name"], "cannot kill its children that change their user")
        if "memory" not in container["resources"]["limits"]:
            wrong(container["name"], "has no limit of memory")
        for mount in container["volumeMounts"]:
            mounted.add(mount["name"])
            if not mount["mountPath"].startswith("/"):
                wrong(container["name"], "mounts", mount)
    if mounted != volumes:
        wrong("volumes", volumes, "but mounted are", mounted)
    for volume in pod["volumes"]:
        if "hostPath" in volume:
            for container in pod["containers"]:
                for mount in container["volumeMounts"]:
                    if mount["name"] == volume["name"] \
                            and not mount.get("readOnly"):
                        wrong(container["name"], "may write to the node")


for file in sys.argv[1:]:
    with open(file, encoding="utf-8") as stream:
        for document in yaml.safe_load_all(stream):
            check(file, document)
