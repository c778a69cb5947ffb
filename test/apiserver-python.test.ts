import { execFile, execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type K8tsProcess, startK8ts } from './k8ts-process.ts';

/** Debian's python3-kubernetes belongs to Debian's Python, whatever other Python comes first in the PATH. */
const python = ['/usr/bin/python3', 'python3'].find((program) => {
  try {
    execFileSync(program, ['-c', 'import kubernetes'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

const SCRIPT = `
import threading
from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException

config.load_kube_config()
core = client.CoreV1Api()
apps = client.AppsV1Api()

made = core.create_namespaced_config_map("default", client.V1ConfigMap(metadata=client.V1ObjectMeta(name="py", labels={"from": "python"}), data={"a": "1"}))
print("created", made.metadata.name, made.metadata.creation_timestamp.tzinfo is not None)
start = core.list_namespaced_config_map("default", label_selector="from=python")
print("listed", [item.metadata.name for item in start.items])

def change():
    core.patch_namespaced_config_map("py", "default", {"data": {"a": "2"}})
    core.delete_namespaced_config_map("py", "default")

threading.Timer(0.3, change).start()
stream = watch.Watch()
for event in stream.stream(core.list_namespaced_config_map, "default", label_selector="from=python", resource_version=start.metadata.resource_version, timeout_seconds=100):
    print("event", event["type"], event["object"].data)
    if event["type"] == "DELETED":
        stream.stop()

spec = client.V1DeploymentSpec(replicas=2, selector=client.V1LabelSelector(match_labels={"app": "py"}), template=client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels={"app": "py"}), spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="nginx")])))
apps.create_namespaced_deployment("default", client.V1Deployment(metadata=client.V1ObjectMeta(name="py"), spec=spec))
apps.patch_namespaced_deployment_scale("py", "default", {"spec": {"replicas": 5}})
print("scaled", apps.read_namespaced_deployment("py", "default").spec.replicas)
try:
    core.read_namespaced_pod("absent", "default")
except ApiException as error:
    print("refused", error.status, error.reason)
`;

describe.skipIf(!python)(`python3-kubernetes${python ? '' : ' (needs python3-kubernetes)'}`, () => {
  let k8ts: K8tsProcess;
  beforeAll(async () => {
    k8ts = await startK8ts();
  });
  afterAll(() => k8ts?.stop());

  it('creates, lists, watches, scales and is refused', async () => {
    const output = await new Promise<string>((resolve, reject) => {
      execFile(
        python!,
        ['-c', SCRIPT],
        { env: { ...process.env, KUBECONFIG: k8ts.kubeconfig }, timeout: 150_000 },
        (error, stdout, stderr) => (error ? reject(new Error(`${stdout}${stderr}`)) : resolve(stdout)),
      );
    });
    expect(output.trim().split('\n')).toEqual([
      'created py True',
      "listed ['py']",
      "event MODIFIED {'a': '2'}",
      "event DELETED {'a': '2'}",
      'scaled 5',
      'refused 404 Not Found',
    ]);
  });
});
