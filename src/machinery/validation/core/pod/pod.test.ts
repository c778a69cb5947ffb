import { describe, expect, it } from 'vitest';
import { DEFAULT_VALIDATION_CONTEXT, validateCreate } from '../../index.ts';
import { createErrors, objectOf, testedKind, type Manifest } from '../../testing/manifests.ts';

const PODS = testedKind('pods');
const CONTAINER = { name: 'c', image: 'i' };

const pod = (spec: Manifest, metadata: Manifest = {}): Manifest => ({
  metadata,
  spec: { serviceAccountName: 'sa', containers: [CONTAINER], ...spec },
});
const inContainer = (container: Manifest, spec: Manifest = {}): Manifest =>
  pod({ ...spec, containers: [{ ...CONTAINER, ...container }] });
/** Without the part of a message that repeats the regular expression. */
const brief = (errors: readonly string[]): string[] => errors.map((text) => text.replace(/ \(e\.g\. .*/s, ''));

type Row = readonly [name: string, manifest: Manifest, errors: readonly string[]];

const families: Readonly<Record<string, readonly Row[]>> = {
  'the pod as a whole': [
    ['a small pod', pod({}), []],
    ['no containers', pod({ containers: [] }), ['spec.containers: Required value']],
    [
      'a container without anything',
      pod({ containers: [{}] }),
      ['spec.containers[0].name: Required value', 'spec.containers[0].image: Required value'],
    ],
    ['two of a name', pod({ containers: [CONTAINER, CONTAINER] }), ['spec.containers[1].name: Duplicate value: "c"']],
    [
      'an init container of the same name',
      pod({ initContainers: [CONTAINER] }),
      ['spec.initContainers[0].name: Duplicate value: "c"'],
    ],
    [
      'an image with a space',
      inContainer({ image: 'i ' }),
      ['spec.containers[0].image: Invalid value: "i ": must not have leading or trailing whitespace'],
    ],
    [
      'an unknown restart policy',
      pod({ restartPolicy: 'x' }),
      ['spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      'an unknown DNS policy',
      pod({ dnsPolicy: 'x' }),
      [
        'spec.dnsPolicy: Unsupported value: "x": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
      ],
    ],
    [
      'a deadline of nothing',
      pod({ activeDeadlineSeconds: 0 }),
      ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
    ],
    [
      'ephemeral containers',
      pod({ ephemeralContainers: [{ name: 'e', image: 'i' }] }),
      ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
    ],
    [
      'a node behind a gate',
      pod({ nodeName: 'n', schedulingGates: [{ name: 'g' }] }),
      ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
    ],
    [
      'a gate twice',
      pod({ schedulingGates: [{ name: 'g' }, { name: 'g' }] }),
      ['spec.schedulingGates[1]: Duplicate value: "g"'],
    ],
    ['a host name', pod({ hostname: 'a.b' }), ['spec.hostname: Invalid value: "a.b": must not contain dots']],
    [
      'a host name of its own on the host network',
      pod({ hostNetwork: true, hostnameOverride: 'x' }),
      ['spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true'],
    ],
    [
      'users of its own and the host’s processes',
      pod({ hostUsers: false, hostPID: true }),
      ['spec.HostPID: Forbidden: when `hostUsers` is false'],
    ],
    [
      'block devices without the host’s users',
      inContainer(
        { volumeDevices: [{ name: 'v', devicePath: '/dev/v' }] },
        { hostUsers: false, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
      ),
      ['spec.containers[0].volumeDevices: Forbidden: when `hostUsers` is false'],
    ],
    [
      'another SELinux policy than the gate of today allows',
      pod({ securityContext: { seLinuxChangePolicy: 'MountOption' } }),
      ['spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"'],
    ],
    [
      'an unknown preemption policy',
      pod({ preemptionPolicy: 'x' }),
      ['spec.preemptionPolicy: Unsupported value: "x": supported values: "PreemptLowerPriority", "Never"'],
    ],
    [
      'a readiness gate',
      pod({ readinessGates: [{ conditionType: 'a b' }] }),
      [
        "spec.readinessGates[0].conditionType: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      ],
    ],
  ],
  'names and annotations': [
    [
      'a mirror pod without a node',
      pod({}, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      [
        'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
      ],
    ],
    ['a cost of deletion', pod({}, { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } }), []],
    [
      'a cost with a plus',
      pod({}, { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '+5' } }),
      [
        'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+5": must be a 32bit integer',
      ],
    ],
    [
      'tolerations that are no JSON',
      pod({}, { annotations: { 'scheduler.alpha.kubernetes.io/tolerations': '[1' } }),
      [
        'metadata.annotations: Invalid value: "scheduler.alpha.kubernetes.io/tolerations": unexpected end of JSON input',
      ],
    ],
    [
      'a seccomp annotation that says otherwise',
      pod(
        { securityContext: { seccompProfile: { type: 'Unconfined' } } },
        { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default' } },
      ),
      ['spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match'],
    ],
    [
      'an AppArmor annotation of no container',
      pod({}, { annotations: { 'container.apparmor.security.beta.kubernetes.io/x': 'unconfined' } }),
      [
        'metadata.annotations[container.apparmor.security.beta.kubernetes.io/x]: Invalid value: "x": container not found',
      ],
    ],
  ],
  ports: [
    ['a port', inContainer({ ports: [{ containerPort: 80 }] }), []],
    ['no number', inContainer({ ports: [{}] }), ['spec.containers[0].ports[0].containerPort: Required value']],
    [
      'too high',
      inContainer({ ports: [{ containerPort: 65536 }] }),
      ['spec.containers[0].ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive'],
    ],
    [
      'a name twice',
      inContainer({
        ports: [
          { name: 'a', containerPort: 1 },
          { name: 'a', containerPort: 2 },
        ],
      }),
      ['spec.containers[0].ports[1].name: Duplicate value: "a"'],
    ],
    [
      'an unknown protocol',
      inContainer({ ports: [{ containerPort: 1, protocol: 'x' }] }),
      ['spec.containers[0].ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"'],
    ],
    [
      'a host port twice',
      inContainer({
        ports: [
          { containerPort: 1, hostPort: 9 },
          { containerPort: 2, hostPort: 9 },
        ],
      }),
      ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//9"'],
    ],
    [
      'a host port on two addresses',
      inContainer({
        ports: [
          { containerPort: 1, hostPort: 9, hostIP: '1.1.1.1' },
          { containerPort: 2, hostPort: 9, hostIP: '2.2.2.2' },
        ],
      }),
      [],
    ],
    [
      'another host port on the host network',
      inContainer({ ports: [{ containerPort: 1, hostPort: 9 }] }, { hostNetwork: true }),
      ['spec.containers[0].ports[0].hostPort: Invalid value: 9: must match `containerPort` when `hostNetwork` is true'],
    ],
  ],
  environment: [
    [
      'a name with an equals sign',
      inContainer({ env: [{ name: 'a=b' }] }),
      [
        'spec.containers[0].env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
      ],
    ],
    [
      'a value from nowhere',
      inContainer({ env: [{ name: 'a', valueFrom: {} }] }),
      [
        'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ],
    ],
    [
      'a value from two places',
      inContainer({
        env: [
          { name: 'a', valueFrom: { secretKeyRef: { name: 's', key: 'k' }, configMapKeyRef: { name: 'c', key: 'k' } } },
        ],
      }),
      ['spec.containers[0].env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time'],
    ],
    [
      'a value besides',
      inContainer({ env: [{ name: 'a', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
      ['spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
    ],
    [
      'a field that is none',
      inContainer({ env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'spec.x' } } }] }),
      [
        'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x',
      ],
    ],
    [
      'a field that only volumes take',
      inContainer({ env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } }] }),
      [
        'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      ],
    ],
    [
      'one label',
      inContainer({ env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: "metadata.labels['x/y']" } } }] }),
      [],
    ],
    [
      'a divisor that is none',
      inContainer({ env: [{ name: 'a', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '3' } } }] }),
      [
        'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      ],
    ],
    [
      'huge pages',
      inContainer({ env: [{ name: 'a', valueFrom: { resourceFieldRef: { resource: 'limits.hugepages-2Mi' } } }] }),
      [],
    ],
    [
      'a file in no volume',
      inContainer({ env: [{ name: 'a', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } } }] }),
      ['spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "v"'],
    ],
    [
      'a key of a file above its volume',
      inContainer({ env: [{ name: 'a', valueFrom: { fileKeyRef: { volumeName: 'v', path: '/a/../b', key: 'k' } } }] }),
      [
        'spec.containers[0].env[0].valueFrom.fileKeyRef.path: Invalid value: "/a/../b": must not contain \'..\'',
        'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "v"',
      ],
    ],
    [
      'a file in a volume that others write',
      inContainer(
        { env: [{ name: 'a', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } } }] },
        { volumes: [{ name: 'v', configMap: { name: 'm' } }] },
      ),
      [
        'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Invalid value: "v": referenced volume must be of type emptyDir',
      ],
    ],
    [
      'everything from nowhere',
      inContainer({ envFrom: [{}] }),
      ['spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`'],
    ],
  ],
  'probes and lifecycle': [
    [
      'no handler',
      inContainer({ livenessProbe: {} }),
      ['spec.containers[0].livenessProbe: Required value: must specify a handler type'],
    ],
    [
      'two handlers',
      inContainer({ livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } }),
      ['spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type'],
    ],
    [
      'a port by a bad name',
      inContainer({ readinessProbe: { tcpSocket: { port: 'A' } } }),
      [
        'spec.containers[0].readinessProbe.tcpSocket.port: Invalid value: "A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'spec.containers[0].readinessProbe.tcpSocket.port: Invalid value: "A": must contain at least one letter (a-z)',
      ],
    ],
    [
      'liveness that needs two successes',
      inContainer({ livenessProbe: { exec: { command: ['a'] }, successThreshold: 2 } }),
      ['spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1'],
    ],
    [
      'a grace period for readiness',
      inContainer({ readinessProbe: { exec: { command: ['a'] }, terminationGracePeriodSeconds: 5 } }),
      [
        'spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes',
      ],
    ],
    [
      'a negative period',
      inContainer({ startupProbe: { exec: { command: ['a'] }, periodSeconds: -1 } }),
      ['spec.containers[0].startupProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'a sleep beyond the grace period',
      inContainer({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
      [
        'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
      ],
    ],
    [
      'a header that is none',
      inContainer({ livenessProbe: { httpGet: { path: '/', port: 1, httpHeaders: [{ name: 'a b', value: '' }] } } }),
      [
        'spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or \'-\'',
      ],
    ],
    [
      'a stop signal without a system',
      inContainer({ lifecycle: { stopSignal: 'SIGUSR1' } }),
      ['spec.containers[0].lifecycle.stopSignal: Forbidden: may not be set for containers with empty `spec.os.name`'],
    ],
    ['a stop signal of Linux', inContainer({ lifecycle: { stopSignal: 'SIGUSR1' } }, { os: { name: 'linux' } }), []],
    [
      'a stop signal that Windows has not',
      inContainer({ lifecycle: { stopSignal: 'SIGUSR1' } }, { os: { name: 'windows' } }),
      ['spec.containers[0].lifecycle.stopSignal: Unsupported value: "SIGUSR1": supported values: "SIGKILL", "SIGTERM"'],
    ],
    [
      'an init container that is probed',
      pod({ initContainers: [{ name: 'i', image: 'i', livenessProbe: { exec: { command: ['a'] } } }] }),
      [
        'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      ],
    ],
    [
      'a sidecar that is probed',
      pod({
        initContainers: [
          { name: 'i', image: 'i', restartPolicy: 'Always', livenessProbe: { exec: { command: ['a'] } } },
        ],
      }),
      [],
    ],
    [
      'restart rules without a policy',
      inContainer({ restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }] }),
      ['spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used'],
    ],
    [
      '21 restart rules',
      inContainer({
        restartPolicy: 'Never',
        restartPolicyRules: Array.from({ length: 21 }, () => ({ action: 'Restart', exitCodes: { operator: 'In' } })),
      }),
      ['spec.containers[0].restartPolicyRules: Too many: 21: must have at most 20 items'],
    ],
  ],
  resources: [
    [
      'a request beyond its limit',
      inContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
      ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      'the same in another notation',
      inContainer({ resources: { requests: { memory: '1Gi' }, limits: { memory: '1073741824' } } }),
      [],
    ],
    [
      'less than nothing',
      inContainer({ resources: { limits: { memory: '-1' }, requests: { memory: '-1' } } }),
      [
        'spec.containers[0].resources.limits[memory]: Invalid value: "-1": must be greater than or equal to 0',
        'spec.containers[0].resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0',
      ],
    ],
    [
      'half a device',
      inContainer({ resources: { limits: { 'a.io/gpu': '500m' }, requests: { 'a.io/gpu': '500m' } } }),
      [
        'spec.containers[0].resources.limits[a.io/gpu]: Invalid value: "500m": must be an integer',
        'spec.containers[0].resources.requests[a.io/gpu]: Invalid value: "500m": must be an integer',
      ],
    ],
    [
      'a device without a limit',
      inContainer({ resources: { requests: { 'a.io/gpu': '1' } } }),
      ['spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources'],
    ],
    [
      'huge pages alone',
      inContainer({ resources: { limits: { 'hugepages-2Mi': '2Mi' }, requests: { 'hugepages-2Mi': '2Mi' } } }),
      ['spec.containers[0].resources: Forbidden: HugePages require cpu or memory'],
    ],
    [
      'a page and a half',
      inContainer({
        resources: { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' }, requests: { cpu: '1', 'hugepages-2Mi': '3Mi' } },
      }),
      [
        'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      ],
    ],
    [
      'a claim that the pod has not',
      inContainer(
        { resources: { claims: [{ name: 'x' }] } },
        { resourceClaims: [{ name: 'r', resourceClaimName: 'c' }] },
      ),
      [
        'spec.containers[0].resources.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims: r',
      ],
    ],
    [
      'a claim whole and in part',
      inContainer(
        { resources: { claims: [{ name: 'r', request: 'q' }, { name: 'r' }] } },
        { resourceClaims: [{ name: 'r', resourceClaimName: 'c' }] },
      ),
      ['spec.containers[0].resources.claims[1]: Duplicate value: "r"'],
    ],
    [
      'a claim of nothing',
      pod({ resourceClaims: [{ name: 'r' }] }),
      [
        'spec.resourceClaims[0]: Invalid value: {"Name":"r","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      ],
    ],
    [
      'a pod that asks for less than its containers',
      inContainer({ resources: { requests: { cpu: '2' } } }, { resources: { requests: { cpu: '1' } } }),
      [
        'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
      ],
    ],
    [
      'a container with more than its pod',
      inContainer(
        { resources: { limits: { cpu: '2' }, requests: { cpu: '1' } } },
        { resources: { limits: { cpu: '1' }, requests: { cpu: '1' } } },
      ),
      ['spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1'],
    ],
    [
      'a resize policy twice',
      inContainer({
        resizePolicy: [
          { resourceName: 'cpu', restartPolicy: 'NotRequired' },
          { resourceName: 'cpu', restartPolicy: 'NotRequired' },
        ],
      }),
      ['spec.containers[0].resizePolicy[1]: Duplicate value: "cpu"'],
    ],
    [
      'overhead of no resource',
      pod({ overhead: { gpu: '1' } }),
      [
        'spec.overhead.limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
        'spec.overhead.limits[gpu]: Invalid value: "gpu": must be a standard resource for containers',
      ],
    ],
  ],
  volumes: [
    [
      'two sources',
      pod({ volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }] }),
      ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'a name twice',
      pod({
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'v', emptyDir: {} },
        ],
      }),
      ['spec.volumes[1].name: Duplicate value: "v"'],
    ],
    [
      'a path on the host that leads up',
      pod({ volumes: [{ name: 'v', hostPath: { path: '/a/../b' } }] }),
      ['spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain \'..\''],
    ],
    [
      'an unknown type of path',
      pod({ volumes: [{ name: 'v', hostPath: { path: '/a', type: 'x' } }] }),
      [
        'spec.volumes[0].hostPath.type: Unsupported value: "x": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      ],
    ],
    [
      'a limit below nothing',
      pod({ volumes: [{ name: 'v', emptyDir: { sizeLimit: '-1' } }] }),
      ['spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
    ],
    [
      'a mode that is none',
      pod({ volumes: [{ name: 'v', secret: { secretName: 's', defaultMode: 512 } }] }),
      [
        'spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      ],
    ],
    [
      'a reserved file name',
      pod({ volumes: [{ name: 'v', configMap: { name: 'm', items: [{ key: 'k', path: '..x' }] } }] }),
      ['spec.volumes[0].configMap.items[0].path: Invalid value: "..x": must not start with \'..\''],
    ],
    [
      'a token that expires too soon',
      pod({
        volumes: [
          { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 599 } }] } },
        ],
      }),
      [
        'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
      ],
    ],
    [
      'a token without an account',
      {
        spec: {
          containers: [CONTAINER],
          volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
        },
      },
      [
        'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
      ],
    ],
    [
      'two files in one place',
      pod({
        volumes: [
          {
            name: 'v',
            projected: {
              sources: [
                { secret: { name: 's', items: [{ key: 'a', path: 'x' }] } },
                { configMap: { name: 'm', items: [{ key: 'a', path: 'x' }] } },
              ],
            },
          },
        ],
      }),
      ['spec.volumes[0].projected: Invalid value: "m": conflicting duplicate paths'],
    ],
    [
      'an iSCSI name',
      pod({ volumes: [{ name: 'v', iscsi: { targetPortal: 'p', iqn: 'iqn.2001-04.com.example:storage', lun: 256 } }] }),
      ['spec.volumes[0].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive'],
    ],
    ['a CSI driver of capitals', pod({ volumes: [{ name: 'v', csi: { driver: 'Driver.io' } }] }), []],
    [
      'an ephemeral volume',
      pod({
        volumes: [
          {
            name: 'v',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
        ],
      }),
      [],
    ],
    [
      'a claim that is yet to be made',
      pod({
        volumes: [
          {
            name: 'v',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
          { name: 'w', persistentVolumeClaim: { claimName: 'a-v' } },
        ],
      }),
      [
        'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "a-v": must not reference a PVC that gets created for an ephemeral volume',
      ],
    ],
    [
      'options in our domain',
      pod({ volumes: [{ name: 'v', flexVolume: { driver: 'd', options: { 'a.k8s.io/x': '' } } }] }),
      [
        'spec.volumes[0].flexVolume.options[a.k8s.io/x]: Invalid value: "a.k8s.io/x": kubernetes.io and k8s.io namespaces are reserved',
      ],
    ],
  ],
  mounts: [
    [
      'of no volume',
      inContainer({ volumeMounts: [{ name: 'v', mountPath: '/x' }] }),
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      'twice in a place',
      inContainer(
        {
          volumeMounts: [
            { name: 'v', mountPath: '/x' },
            { name: 'v', mountPath: '/x' },
          ],
        },
        { volumes: [{ name: 'v', emptyDir: {} }] },
      ),
      ['spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/x": must be unique'],
    ],
    [
      'of a volume that was refused',
      inContainer({ volumeMounts: [{ name: 'v', mountPath: '/x' }] }, { volumes: [{ name: 'v', secret: {} }] }),
      ['spec.volumes[0].secret.secretName: Required value', 'spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      'both ways, unprivileged',
      inContainer(
        { volumeMounts: [{ name: 'v', mountPath: '/x', mountPropagation: 'Bidirectional' }] },
        { volumes: [{ name: 'v', emptyDir: {} }] },
      ),
      [
        'spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
      ],
    ],
    [
      'read-only all the way down, but not read-only',
      inContainer(
        { volumeMounts: [{ name: 'v', mountPath: '/x', recursiveReadOnly: 'Enabled' }] },
        { volumes: [{ name: 'v', emptyDir: {} }] },
      ),
      ['spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true'],
    ],
    [
      'an absolute path in the volume',
      inContainer(
        { volumeMounts: [{ name: 'v', mountPath: '/x', subPath: '/y' }] },
        { volumes: [{ name: 'v', emptyDir: {} }] },
      ),
      ['spec.containers[0].volumeMounts.subPath: Invalid value: "/y": must be a relative path'],
    ],
    [
      'a device of files',
      inContainer({ volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] }, { volumes: [{ name: 'v', emptyDir: {} }] }),
      [
        'spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      ],
    ],
  ],
  security: [
    [
      'a user below nothing',
      pod({ securityContext: { runAsUser: -1 } }),
      ['spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive'],
    ],
    [
      'a parameter twice',
      pod({
        securityContext: {
          sysctls: [
            { name: 'a.b', value: '1' },
            { name: 'a.b', value: '1' },
          ],
        },
      }),
      ['spec.securityContext.sysctls[1].name: Duplicate value: "a.b"'],
    ],
    [
      'a parameter of the host’s network',
      pod({ hostNetwork: true, securityContext: { sysctls: [{ name: 'net/ipv4/x', value: '1' }] } }),
      [
        'spec.securityContext.sysctls[0].name: Invalid value: "net/ipv4/x": may not be specified when \'hostNetwork\' is true',
      ],
    ],
    [
      'a profile that is nowhere',
      pod({ securityContext: { seccompProfile: { type: 'Localhost' } } }),
      [
        'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
      ],
    ],
    [
      'a profile of no use',
      inContainer({ securityContext: { appArmorProfile: { type: 'Unconfined', localhostProfile: 'x' } } }),
      [
        'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: "x": can only be set when AppArmor type is Localhost',
      ],
    ],
    [
      'unmasked on the host’s users',
      inContainer({ securityContext: { procMount: 'Unmasked' } }),
      [
        'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
      ],
    ],
    [
      'Windows options on Linux',
      inContainer({ securityContext: { windowsOptions: {} } }, { os: { name: 'linux' } }),
      ['spec.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod'],
    ],
    [
      'Linux options on Windows',
      inContainer(
        { securityContext: { runAsUser: 1 } },
        { os: { name: 'windows' }, hostPID: true, securityContext: { fsGroup: 1 } },
      ),
      [
        'spec.hostPID: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
      ],
    ],
    [
      'a user of Windows',
      inContainer({ securityContext: { windowsOptions: { runAsUserName: 'a\\b\\c' } } }),
      [
        'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
      ],
    ],
    [
      'a host process off the host’s network',
      inContainer({ securityContext: { windowsOptions: { hostProcess: true } } }),
      ['spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers'],
    ],
    [
      'an unknown system',
      pod({ os: { name: 'plan9' } }),
      ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
    ],
  ],
  scheduling: [
    [
      'no term',
      pod({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } } }),
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
      ],
    ],
    [
      'a weight of 101',
      pod({
        affinity: {
          nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }] },
        },
      }),
      [
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
      ],
    ],
    [
      'two values to be more than',
      pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }] }],
            },
          },
        },
      }),
      [
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
      ],
    ],
    [
      'pods in no place',
      pod({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a b' }] } } }),
      [
        "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      ],
    ],
    [
      'keys without a selector',
      pod({
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a', matchLabelKeys: ['x'] }],
          },
        },
      }),
      [
        'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
      ],
    ],
    [
      'a key in both lists',
      pod({
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'a', labelSelector: {}, matchLabelKeys: ['x'], mismatchLabelKeys: ['x'] },
            ],
          },
        },
      }),
      [
        'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys[0]: Invalid value: "x": exists in both matchLabelKeys and mismatchLabelKeys',
      ],
    ],
    [
      'a toleration with a value for any',
      pod({ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }),
      ['spec.tolerations[0].operator: Invalid value: "b": value must be empty when `operator` is \'Exists\''],
    ],
    [
      'an operator that is off',
      pod({ tolerations: [{ key: 'a', operator: 'Gt', value: '1' }] }),
      ['spec.tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"'],
    ],
    [
      'a spread given twice',
      pod({
        topologySpreadConstraints: [1, 2].map((maxSkew) => ({
          maxSkew,
          topologyKey: 't',
          whenUnsatisfiable: 'DoNotSchedule',
        })),
      }),
      ['spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{t, DoNotSchedule}"'],
    ],
    [
      'a spread over no domains',
      pod({
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 't', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 0 },
        ],
      }),
      [
        'spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero',
        'spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      ],
    ],
  ],
  DNS: [
    [
      'no servers at all',
      pod({ dnsPolicy: 'None' }),
      ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
    [
      'four servers',
      pod({ dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] } }),
      [
        'spec.dnsConfig.nameservers: Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","1.1.1.4"]: must not have more than 3 nameservers',
      ],
    ],
    ['a search for the root and an underscore', pod({ dnsConfig: { searches: ['.', '_a.b.'] } }), []],
    [
      '33 searches',
      pod({ dnsConfig: { searches: Array.from({ length: 33 }, () => 'a') } }),
      [
        `spec.dnsConfig.searches: Invalid value: [${Array.from({ length: 33 }, () => '"a"').join(',')}]: must not have more than 32 search paths`,
      ],
    ],
    [
      'an option without a name',
      pod({ dnsConfig: { options: [{ value: '1' }] } }),
      ['spec.dnsConfig.options[0]: Required value: must not be empty'],
    ],
    [
      'an alias of no address',
      pod({ hostAliases: [{ ip: 'x', hostnames: ['a'] }] }),
      ['spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address,'],
    ],
  ],
};

describe.each(Object.entries(families))('a pod: %s', (_, rows) => {
  it.each(rows.map(([name, manifest, errors]) => ({ name, manifest, errors })))('$name', ({ manifest, errors }) => {
    expect(brief(createErrors(PODS, manifest))).toEqual(errors.map((text) => text.trimEnd()));
  });
});

it('a server may refuse privileged containers', () => {
  const object = objectOf(PODS, inContainer({ securityContext: { privileged: true } }));
  const errors = validateCreate(PODS, object, { ...DEFAULT_VALIDATION_CONTEXT, allowPrivileged: false });
  expect(errors.map(String)).toEqual([
    'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
  ]);
});
