// Decode a manifest into the types of Kubernetes' API, as its server does, and
// refuse fields that those do not have.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: decode <MANIFEST
//
// Prints the kind, and for each container of a deployment a line: its name,
// and where it has volumes.

package main

import (
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

func decode(text []byte) (*appsv1.Deployment, error) {
	scheme := runtime.NewScheme()
	if err := appsv1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory,
		scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	object, _, err := decoder.Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	deployment, is := object.(*appsv1.Deployment)
	if !is {
		return nil, fmt.Errorf("%T instead of a deployment", object)
	}
	return deployment, nil
}

func show(role string, containers []corev1.Container) {
	for _, container := range containers {
		fmt.Print(role, " ", container.Name)
		for _, mount := range container.VolumeMounts {
			fmt.Print(" ", mount.Name, ":", mount.MountPath)
		}
		fmt.Println()
	}
}

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		var deployment *appsv1.Deployment
		if deployment, err = decode(text); err == nil {
			pod := deployment.Spec.Template.Spec
			fmt.Println(deployment.Kind)
			show("init", pod.InitContainers)
			show("main", pod.Containers)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
