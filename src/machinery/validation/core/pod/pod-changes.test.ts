import { describe, expect, it } from 'vitest';
import { createWarnings, testedKind, updateErrors, type Manifest } from '../../testing/manifests.ts';

const PODS = testedKind('pods');
const CONTAINER = { name: 'c', image: 'i' };
const SPEC = { serviceAccountName: 'sa', containers: [CONTAINER] };

const pod = (spec: Manifest = {}, more: Manifest = {}): Manifest => ({ ...more, spec: { ...SPEC, ...spec } });
const ALLOWED =
  'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
const TERMS = (...keys: string[]): Manifest => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: keys.map((key) => ({ key, operator: 'Exists' })) }],
    },
  },
});
const GATED = { schedulingGates: [{ name: 'g' }] };

type Row = readonly [name: string, from: Manifest, to: Manifest, errors: readonly string[]];

describe('an update of a pod', () => {
  it.each<Row>([
    ['nothing', pod(), pod(), []],
    ['another image', pod(), pod({ containers: [{ ...CONTAINER, image: 'j' }] }), []],
    [
      'no image',
      pod(),
      pod({ containers: [{ name: 'c', image: '', imagePullPolicy: 'Always' }] }),
      ['spec.containers[0].image: Required value', 'spec.containers[0].image: Required value'],
    ],
    [
      'one container more',
      pod(),
      pod({ containers: [CONTAINER, { name: 'd', image: 'i' }] }),
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    ['a deadline', pod(), pod({ activeDeadlineSeconds: 9 }), []],
    [
      'a later deadline',
      pod({ activeDeadlineSeconds: 8 }),
      pod({ activeDeadlineSeconds: 9 }),
      ['spec.activeDeadlineSeconds: Invalid value: 9: must be less than or equal to previous value'],
    ],
    [
      'no deadline any more',
      pod({ activeDeadlineSeconds: 8 }),
      pod(),
      ['spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value'],
    ],
    ['one toleration more', pod(), pod({ tolerations: [{ operator: 'Exists' }] }), []],
    [
      'a toleration that lasts longer',
      pod({ tolerations: [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 }] }),
      pod({ tolerations: [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 }] }),
      [],
    ],
    [
      'a toleration less',
      pod({ tolerations: [{ operator: 'Exists' }] }),
      pod(),
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    ['a gate less', pod(GATED), pod(), []],
    [
      'a gate more',
      pod(),
      pod(GATED),
      ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"],
    ],
    [
      'a grace period that was negative',
      pod({ terminationGracePeriodSeconds: -1 }),
      pod({ terminationGracePeriodSeconds: 1 }),
      [],
    ],
    [
      'another node',
      pod(),
      pod({ nodeName: 'n' }),
      [
        `${ALLOWED}\n@@ -42,7 +42,7 @@\n  "NodeSelector": null,\n  "ServiceAccountName": "sa",\n  "AutomountServiceAccountToken": null,\n- "NodeName": "",\n+ "NodeName": "n",\n  "SecurityContext": {\n   "HostNetwork": false,\n   "HostPID": false,\n`,
      ],
    ],
    [
      'behind a gate, a narrower choice of nodes',
      pod({ ...GATED, nodeSelector: { a: 'b' } }),
      pod({ ...GATED, nodeSelector: { a: 'b', c: 'd' } }),
      [],
    ],
    [
      'behind a gate, another choice of nodes',
      pod({ ...GATED, nodeSelector: { a: 'b' } }),
      pod({ ...GATED, nodeSelector: { a: 'c' } }),
      [
        'spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
    ['behind a gate, the first affinity', pod(GATED), pod({ ...GATED, affinity: TERMS('a') }), []],
    [
      'behind a gate, a narrower affinity',
      pod({ ...GATED, affinity: TERMS('a') }),
      pod({ ...GATED, affinity: TERMS('a', 'b') }),
      [],
    ],
    [
      'behind a gate, another affinity',
      pod({ ...GATED, affinity: TERMS('a') }),
      pod({ ...GATED, affinity: TERMS('b') }),
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Invalid value: {"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],"MatchFields":null}: only additions are allowed (no mutations or deletions)',
      ],
    ],
    [
      'a mirror pod it was not',
      pod({ nodeName: 'n' }),
      pod({ nodeName: 'n' }, { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
      ['metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation'],
    ],
    [
      'an invalid cost of deletion that was there',
      pod({}, { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': 'x' } } }),
      pod({}, { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': 'y' } } }),
      [],
    ],
  ])('%s', (_, from, to, errors) => {
    expect(updateErrors(PODS, { from, to })).toEqual(errors);
  });
});

const ended = (exitCode: number): Manifest => ({ name: 'c', state: { terminated: { exitCode } } });
const RUNNING = { name: 'c', state: { running: {} } };

describe('a write of a pod’s status', () => {
  it.each<Row>([
    ['running', pod(), pod({}, { status: { phase: 'Running', containerStatuses: [RUNNING] } }), []],
    [
      'an address that is none',
      pod(),
      pod({}, { status: { podIPs: [{ ip: 'x' }] } }),
      ['status.podIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
    ['one address of each family', pod(), pod({}, { status: { podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] } }), []],
    [
      'two of a family',
      pod(),
      pod({}, { status: { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] } }),
      [
        'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family',
      ],
    ],
    [
      'an address of another host',
      pod(),
      pod({}, { status: { hostIP: '1.1.1.1', hostIPs: [{ ip: '2.2.2.2' }] } }),
      ['status.hostIPs[0].ip: Invalid value: "2.2.2.2": must be equal to `hostIP`'],
    ],
    [
      'another class of service',
      pod({}, { status: { qosClass: 'Burstable' } }),
      pod({}, { status: { qosClass: 'Guaranteed' } }),
      ['status.qosClass: Invalid value: "Guaranteed": field is immutable'],
    ],
    [
      'a generation below nothing',
      pod(),
      pod({}, { status: { observedGeneration: -1 } }),
      ['status.observedGeneration: Invalid value: -1: must be a non-negative integer'],
    ],
    [
      'back to life where all is restarted',
      pod({}, { status: { containerStatuses: [ended(0)] } }),
      pod({}, { status: { containerStatuses: [RUNNING] } }),
      [],
    ],
    [
      'back to life where nothing is',
      pod({ restartPolicy: 'Never' }, { status: { containerStatuses: [ended(1)] } }),
      pod({ restartPolicy: 'Never' }, { status: { containerStatuses: [RUNNING] } }),
      ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    ],
    [
      'back to life after a failure',
      pod({ restartPolicy: 'OnFailure' }, { status: { containerStatuses: [ended(1)] } }),
      pod({ restartPolicy: 'OnFailure' }, { status: { containerStatuses: [RUNNING] } }),
      [],
    ],
    [
      'back to life after success',
      pod({ restartPolicy: 'OnFailure' }, { status: { containerStatuses: [ended(0)] } }),
      pod({ restartPolicy: 'OnFailure' }, { status: { containerStatuses: [RUNNING] } }),
      ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    ],
    [
      'back to life of a container that the pod does not have',
      pod({}, { status: { containerStatuses: [{ ...ended(0), name: 'other' }] } }),
      pod({}, { status: { containerStatuses: [{ ...RUNNING, name: 'other' }] } }),
      ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    ],
    [
      'a claim that is not the pod’s',
      pod(),
      pod({}, { status: { resourceClaimStatuses: [{ name: 'x' }] } }),
      [
        'status.resourceClaimStatuses[0].name: Invalid value: "x": must match the name of an entry in `spec.resourceClaims`',
      ],
    ],
    [
      'a device that was not asked for',
      pod(),
      pod(
        {},
        {
          status: {
            containerStatuses: [
              {
                ...RUNNING,
                allocatedResourcesStatus: [{ name: 'a.io/gpu', resources: [{ resourceID: '1', health: 'Sick' }] }],
              },
            ],
          },
        },
      ),
      [
        'status.containerStatuses[0].allocatedResourcesStatus[0].name: Invalid value: "a.io/gpu": must match one of the container\'s resource requests',
        'status.containerStatuses[0].allocatedResourcesStatus[0].resources[0].health: Unsupported value: "Sick": supported values: "Healthy", "Unhealthy", "Unknown"',
      ],
    ],
  ])('%s', (_, from, to, errors) => {
    expect(updateErrors(PODS, { from, to, subresource: 'status' })).toEqual(errors);
  });
});

const EPHEMERAL = { name: 'e', image: 'i' };

describe('ephemeral containers', () => {
  it.each<Row>([
    ['one is added', pod(), pod({ ephemeralContainers: [EPHEMERAL] }), []],
    [
      'one with a port',
      pod(),
      pod({ ephemeralContainers: [{ ...EPHEMERAL, ports: [{ containerPort: 1 }] }] }),
      ['spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container'],
    ],
    [
      'one that looks at nothing',
      pod(),
      pod({ ephemeralContainers: [{ ...EPHEMERAL, targetContainerName: 'x' }] }),
      ['spec.ephemeralContainers[0].targetContainerName: Not found: "x"'],
    ],
    [
      'one with the name of a container',
      pod(),
      pod({ ephemeralContainers: [{ ...EPHEMERAL, name: 'c' }] }),
      ['spec.ephemeralContainers[0].name: Duplicate value: "c"'],
    ],
    [
      'one goes',
      pod({ ephemeralContainers: [EPHEMERAL] }),
      pod(),
      ['spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n'],
    ],
    [
      'one changes',
      pod({ ephemeralContainers: [EPHEMERAL] }),
      pod({ ephemeralContainers: [{ ...EPHEMERAL, image: 'j' }] }),
      [
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed\n@@ -1,6 +1,6 @@\n {\n  "Name": "e",\n- "Image": "i",\n+ "Image": "j",\n  "Command": null,\n  "Args": null,\n  "WorkingDir": "",\n',
      ],
    ],
    [
      'a static pod',
      pod({ nodeName: 'n' }, { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
      pod(
        { nodeName: 'n', ephemeralContainers: [EPHEMERAL] },
        { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } },
      ),
      ['[]: Forbidden: static pods do not support ephemeral containers'],
    ],
  ])('%s', (_, from, to, errors) => {
    expect(updateErrors(PODS, { from, to, subresource: 'ephemeralcontainers' })).toEqual(errors);
  });
});

const initSized = (requests: Manifest, container: Manifest = {}): Manifest =>
  pod({ initContainers: [{ ...CONTAINER, name: 'i', resources: { requests }, ...container }] });
const sized = (requests: Manifest, limits: Manifest = {}): Manifest =>
  pod({ containers: [{ ...CONTAINER, resources: { requests, limits } }] });

describe('a resize', () => {
  it.each<Row>([
    ['more of both', sized({ cpu: '1', memory: '1Gi' }), sized({ cpu: '2', memory: '2Gi' }), []],
    [
      'no memory asked for any more',
      sized({ cpu: '1', memory: '1Gi' }),
      sized({ cpu: '1' }),
      ['spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed'],
    ],
    [
      'another class of service',
      sized({ cpu: '1', memory: '1Gi' }),
      sized({ cpu: '1', memory: '1Gi' }, { cpu: '1', memory: '1Gi' }),
      ['spec: Invalid value: "": Pod QOS Class may not change as a result of resizing'],
    ],
    [
      'another resource',
      sized({ cpu: '1', 'ephemeral-storage': '1Gi' }),
      sized({ cpu: '1', 'ephemeral-storage': '2Gi' }),
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    ],
    ['an init container', initSized({ cpu: '1' }), initSized({ cpu: '2' }), []],
    [
      'a sidecar',
      initSized({ cpu: '1' }, { restartPolicy: 'Always' }),
      initSized({ cpu: '2' }, { restartPolicy: 'Always' }),
      [],
    ],
    [
      'no cpu of an init container any more',
      initSized({ cpu: '1', memory: '1Gi' }),
      initSized({ memory: '1Gi' }),
      ['spec.initContainers[0].resources.requests: Forbidden: resource requests cannot be removed'],
    ],
    [
      'an init container with another image',
      initSized({ cpu: '1' }),
      initSized({ cpu: '1' }, { image: 'other' }),
      ['spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable'],
    ],
    [
      'a container under another name',
      sized({ cpu: '1' }),
      pod({ containers: [{ ...CONTAINER, name: 'd', resources: { requests: { cpu: '1' } } }] }),
      ['spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize'],
    ],
    [
      'resources of the pod that are removed',
      pod({ resources: { requests: { cpu: '1', memory: '1Gi' } } }),
      pod({ resources: { requests: { cpu: '1' } } }),
      ['spec.resources.requests: Forbidden: pod-level resource requests cannot be removed'],
    ],
    [
      'resources of the pod',
      pod({ resources: { requests: { cpu: '1' } } }),
      pod({ resources: { requests: { cpu: '2' } } }),
      [],
    ],
    [
      'one container more',
      sized({ cpu: '1' }),
      pod({
        containers: [
          { ...CONTAINER, resources: { requests: { cpu: '1' } } },
          { name: 'd', image: 'i' },
        ],
      }),
      ['spec.containers: Forbidden: containers may not be added or removed on resize'],
    ],
    [
      'a Windows pod',
      pod({ os: { name: 'windows' } }),
      pod({ os: { name: 'windows' } }),
      ['[]: Forbidden: windows pods cannot be resized'],
    ],
  ])('%s', (_, from, to, errors) => {
    expect(updateErrors(PODS, { from, to, subresource: 'resize' })).toEqual(errors);
  });
});

describe('warnings about pods', () => {
  it.each<readonly [name: string, manifest: Manifest, warnings: readonly string[]]>([
    ['nothing', pod(), []],
    [
      'a name with dots',
      pod({}, { metadata: { name: 'a.b' } }),
      [
        "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
      ],
    ],
    [
      'a label out of use',
      pod({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }),
      ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
    ],
    [
      'a variable that hides another',
      pod({
        containers: [
          {
            ...CONTAINER,
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          },
        ],
      }),
      ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
    ],
    [
      'a variable that builds on another',
      pod({
        containers: [
          {
            ...CONTAINER,
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '$(A)2' },
            ],
          },
        ],
      }),
      [],
    ],
    [
      'a port twice',
      pod({ containers: [{ ...CONTAINER, ports: [{ containerPort: 1 }, { containerPort: 1 }] }] }),
      ['spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]'],
    ],
    [
      'a port with and without one of the host',
      pod({ containers: [{ ...CONTAINER, ports: [{ containerPort: 1 }, { containerPort: 1, hostPort: 9 }] }] }),
      ['spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]'],
    ],
    [
      'a port on one address and on all',
      pod({
        containers: [
          {
            ...CONTAINER,
            ports: [
              { containerPort: 1, hostPort: 9 },
              { containerPort: 1, hostPort: 9, hostIP: '1.1.1.1' },
            ],
          },
        ],
      }),
      ['spec.containers[0].ports[1]: dangerously ambiguous port definition with spec.containers[0].ports[0]'],
    ],
    [
      'half a byte',
      pod({ containers: [{ ...CONTAINER, resources: { requests: { memory: '100m' } } }] }),
      ['spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer'],
    ],
    [
      'a volume plugin that is gone',
      pod({ volumes: [{ name: 'v', rbd: { monitors: ['m'], image: 'i' } }] }),
      ['spec.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+'],
    ],
    [
      'files in each other’s place',
      pod({
        volumes: [
          {
            name: 'v',
            secret: {
              secretName: 's',
              items: [
                { key: 'a', path: 'x/' },
                { key: 'b', path: 'x/y' },
              ],
            },
          },
        ],
      }),
      ['volume "v" (Secret "s"): overlapping paths: "x/y" with "x"'],
    ],
    [
      'pods that no selector finds',
      pod({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 't' }] } } }),
      [
        'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod',
      ],
    ],
    [
      'an annotation without effect',
      pod({}, { metadata: { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default' } } }),
      [
        'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      ],
    ],
    [
      'pull secrets',
      pod({ imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}] }),
      ['spec.imagePullSecrets[1].name: duplicate name "a"', 'spec.imagePullSecrets[2].name: invalid empty name ""'],
    ],
  ])('%s', (_, manifest, warnings) => {
    expect(createWarnings(PODS, manifest)).toEqual(warnings);
  });
});
