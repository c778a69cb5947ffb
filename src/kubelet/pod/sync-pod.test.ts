import { describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../api/generated/core-v1.ts';
import { containerHash } from '../runtime/labels.ts';
import type { ContainerPhase, ObservedContainer, ObservedPod } from '../runtime/observe-pod.ts';
import type { PodActions, ProbeResult } from './pod-actions.ts';
import { isNothingToDo, syncPod } from './sync-pod.ts';

const container = (name: string, more: Partial<Container> = {}): Container => ({ name, image: 'busybox', ...more });

interface Case {
  readonly restartPolicy?: string;
  readonly init?: readonly Container[];
  readonly containers?: readonly Container[];
  readonly ephemeral?: readonly string[];
  readonly deleted?: boolean;
  /** `main` runs, `main:0` exited with 0, `main!` was created only; in the newest sandbox. */
  readonly seen?: readonly string[];
  readonly sandbox?: 'ready' | 'dead' | 'none';
  readonly probes?: Partial<Record<'liveness' | 'startup', ProbeResult>>;
  readonly resized?: readonly string[];
  readonly resizedPod?: boolean;
}

function act(given: Case): PodActions {
  const { init = [], containers = [container('main')], seen = [], sandbox = 'ready' } = given;
  const all = [...init, ...containers];
  const pod: Pod = {
    metadata: {
      name: 'p',
      namespace: 'n',
      uid: 'u',
      ...(given.deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      restartPolicy: given.restartPolicy ?? 'Always',
      initContainers: [...init],
      containers: [...containers],
      ephemeralContainers: (given.ephemeral ?? []).map((name) => ({ name, image: 'busybox' })),
    },
  };
  const observe = (text: string): ObservedContainer => {
    const [, name = '', mark = '', code = '0'] = /^([a-z]+)(:|!|\?)?(\d+)?$/.exec(text) ?? [];
    const state: ContainerPhase =
      mark === ':' ? 'exited' : mark === '!' ? 'created' : mark === '?' ? 'unknown' : 'running';
    const spec = all.find((one) => one.name === name) ?? container(name);
    return {
      id: `id-${name}`,
      name,
      sandboxId: 's',
      state,
      createdAt: 0,
      startedAt: 0,
      finishedAt: 0,
      exitCode: Number(code),
      reason: '',
      message: '',
      status: {},
      info: {
        hash: containerHash(spec),
        restartCount: 0,
        terminationMessagePath: '',
        terminationMessagePolicy: '',
        preStop: undefined,
        terminationGracePeriodSeconds: undefined,
      },
    };
  };
  const observed: ObservedPod = {
    uid: 'u',
    name: 'p',
    namespace: 'n',
    sandboxes:
      sandbox === 'none'
        ? []
        : [
            {
              id: 's',
              attempt: 0,
              ready: sandbox === 'ready',
              createdAt: 0,
              ips: ['10.0.0.1'],
              hostNetwork: false,
              runtimeHandler: '',
            },
          ],
    containers: seen.map(observe),
  };
  return syncPod({
    pod,
    observed,
    probes: { liveness: () => given.probes?.liveness ?? 'success', startup: () => given.probes?.startup ?? 'success' },
    resize: { containers: new Set(given.resized), restarts: new Set(), pod: given.resizedPod === true },
  });
}

/** The actions in one line. */
function text(actions: PodActions): string {
  const names = (list: readonly { name: string }[]): string => list.map(({ name }) => name).join(' ');
  const parts = [
    actions.killPod ? 'kill pod' : '',
    actions.createSandbox ? `sandbox ${actions.attempt}` : '',
    actions.restartAll ? 'restart all' : '',
    actions.containersToKill.length > 0
      ? `kill ${actions.containersToKill.map(({ container: { name }, reason }) => `${name}(${reason})`).join(' ')}`
      : '',
    actions.ephemeralContainersToStart.length > 0 ? `ephemeral ${names(actions.ephemeralContainersToStart)}` : '',
    actions.initContainersToStart.length > 0 ? `init ${names(actions.initContainersToStart)}` : '',
    actions.containersToStart.length > 0 ? `start ${names(actions.containersToStart)}` : '',
    actions.containersToUpdate.length > 0
      ? `update ${names(actions.containersToUpdate.map(({ container: one }) => one))}`
      : '',
    actions.updatePod ? 'update pod' : '',
  ];
  return isNothingToDo(actions) ? 'nothing' : parts.filter((part) => part !== '').join('; ');
}

const side = container('side', { restartPolicy: 'Always' });
const slow = container('side', { restartPolicy: 'Always', startupProbe: { exec: { command: ['true'] } } });
const live = container('main', { livenessProbe: { exec: { command: ['true'] } } });
const onlyOn42 = container('main', {
  restartPolicy: 'Never',
  restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
});
const allOn42 = container('main', {
  restartPolicy: 'Never',
  restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
});

describe('the actions for a pod', () => {
  it.each<[string, Case, string]>([
    ['a new pod', { sandbox: 'none' }, 'sandbox 0; start main'],
    ['a new pod with an init container', { sandbox: 'none', init: [container('one')] }, 'sandbox 0; init one'],
    ['a new pod that is deleted already', { sandbox: 'none', deleted: true }, 'nothing'],
    ['a sandbox without containers', {}, 'start main'],
    ['a running pod', { seen: ['main'] }, 'nothing'],
    ['a dead sandbox', { sandbox: 'dead', seen: ['main:137'] }, 'kill pod; sandbox 1; start main'],
    ['a dead sandbox of a pod that ran once', { sandbox: 'dead', seen: ['main:0'], restartPolicy: 'Never' }, 'nothing'],
    [
      'a dead sandbox of a pod that succeeded',
      { sandbox: 'dead', seen: ['main:0'], restartPolicy: 'OnFailure' },
      'nothing',
    ],
    ['a crash under Always', { seen: ['main:1'] }, 'start main'],
    ['a success under Always', { seen: ['main:0'] }, 'start main'],
    ['a crash under OnFailure', { seen: ['main:1'], restartPolicy: 'OnFailure' }, 'start main'],
    ['a success under OnFailure', { seen: ['main:0'], restartPolicy: 'OnFailure' }, 'kill pod'],
    ['a crash under Never', { seen: ['main:1'], restartPolicy: 'Never' }, 'kill pod'],
    [
      'one done, one running under Never',
      { seen: ['main:0', 'other'], restartPolicy: 'Never', containers: [container('main'), container('other')] },
      'nothing',
    ],
    ['a rule that fits', { seen: ['main:42'], restartPolicy: 'Never', containers: [onlyOn42] }, 'start main'],
    ['a rule that does not fit', { seen: ['main:41'], restartPolicy: 'Never', containers: [onlyOn42] }, 'kill pod'],
    [
      'a rule for all containers',
      { seen: ['main:42', 'other'], restartPolicy: 'Never', containers: [allOn42, container('other')] },
      'restart all; kill other(RestartAllContainers)',
    ],
    ['a container that was never started', { seen: ['main!'] }, 'kill main(Unknown); start main'],
    ['a container that nobody can tell of', { seen: ['main?'] }, 'kill main(Unknown); start main'],
    [
      'a failed liveness probe',
      { seen: ['main'], containers: [live], probes: { liveness: 'failure' } },
      'kill main(LivenessProbe); start main',
    ],
    [
      'a failed liveness probe under Never',
      { seen: ['main'], containers: [live], probes: { liveness: 'failure' }, restartPolicy: 'Never' },
      'kill main(LivenessProbe)',
    ],
    ['an ephemeral container', { seen: ['main'], ephemeral: ['debug'] }, 'ephemeral debug'],
    ['an ephemeral container that has ended', { seen: ['main', 'debug:0'], ephemeral: ['debug'] }, 'nothing'],
    ['a resize', { seen: ['main'], resized: ['main'] }, 'update main'],
    ["a resize of the pod's own resources", { seen: ['main'], resizedPod: true }, 'update pod'],
    ['the first init container runs', { init: [container('one'), container('two')], seen: ['one'] }, 'nothing'],
    ['the first init container is done', { init: [container('one'), container('two')], seen: ['one:0'] }, 'init two'],
    [
      'both init containers are done',
      { init: [container('one'), container('two')], seen: ['one:0', 'two:0'] },
      'start main',
    ],
    ['an init container failed', { init: [container('one')], seen: ['one:1'] }, 'init one'],
    [
      'an init container failed under Never',
      { init: [container('one')], seen: ['one:1'], restartPolicy: 'Never' },
      'kill pod',
    ],
    ['traces of init containers are gone', { init: [container('one')], seen: ['main'] }, 'nothing'],
    ['a sidecar before the pod runs', { init: [side], seen: ['side'] }, 'start main'],
    ['a sidecar that has not started up', { init: [slow], seen: ['side'], probes: { startup: 'unknown' } }, 'nothing'],
    ['a sidecar that ended', { init: [side], seen: ['side:1', 'main'] }, 'init side'],
    ['a sidecar when the pod is done', { init: [side], seen: ['side', 'main:0'], restartPolicy: 'Never' }, 'kill pod'],
    ['a deleted pod starts nothing', { seen: ['main:1'], deleted: true }, 'kill pod'],
  ])('%s', (_, given, expected) => {
    expect(text(act(given))).toBe(expected);
  });
});
