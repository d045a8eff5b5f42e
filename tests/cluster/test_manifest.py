"""The manifest for Kubernetes: its form, and that its parts name each other rightly."""

from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

MANIFEST = Path(__file__).parents[2] / "docs" / "examples" / "kubernetes.yaml"


def test_parts_of_the_manifest_fit_together():
    service, *deployments = yaml.safe_load_all(MANIFEST.read_text())
    assert (service["kind"], service["apiVersion"]) == ("Service", "v1")
    found = {}
    for one in deployments:
        assert (one["kind"], one["apiVersion"]) == ("Deployment", "apps/v1")
        template = one["spec"]["template"]
        assert one["spec"]["selector"]["matchLabels"] == template["metadata"]["labels"]
        found[one["metadata"]["name"]] = template
    scheduler, worker = found["hedgerow-scheduler"], found["hedgerow-worker"]
    assert service["spec"]["selector"] == scheduler["metadata"]["labels"]
    ports = {port["containerPort"] for port in scheduler["spec"]["containers"][0]["ports"]}
    assert {port["port"] for port in service["spec"]["ports"]} == ports
    (container,) = worker["spec"]["containers"]
    assert f"tcp://{service['metadata']['name']}:8786" in container["command"]
    volumes = {volume["name"] for volume in worker["spec"]["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes
