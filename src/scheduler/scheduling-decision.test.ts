import { afterEach, describe, expect, it } from 'vitest';
import type { PluginRegistry } from './framework/build-profile.ts';
import type { FeasibleNodes, Plugin } from './framework/plugin.ts';
import type { Status } from './framework/status.ts';
import { plugins } from './plugins/registry.ts';
import { makeNode, makePod, startSchedulerFixture, type SchedulerFixture } from './testing/index.ts';

const statusText = (status: Status | undefined): string =>
  status === undefined ? 'Success' : [status.code, ...(status.message === '' ? [] : [status.message])].join(': ');

/** Calls of plugins as lines, in order. Calls in a row with the same result share a line. */
class Transcript {
  readonly #calls: { point: string; plugins: string[]; result: string }[] = [];
  readonly #seen = new Set<string>();
  readonly #rejectedNodes = new Set<string>();

  addFilter(node: string, plugin: string, status: Status | undefined): void {
    if (this.#rejectedNodes.has(node)) return;
    this.add(`Filter ${node}`, plugin, statusText(status));
    if (status !== undefined) this.#rejectedNodes.add(node);
  }

  /** PostFilter runs filters again, with victims removed. */
  startPostFilter(): void {
    this.#rejectedNodes.clear();
  }

  /** Measurements and explanations run filters and scores again; these calls are left out. */
  add(point: string, plugin: string, result: string): void {
    const call = `${point} ${plugin} ${result}`;
    if (this.#seen.has(call)) return;
    this.#seen.add(call);
    const last = this.#calls.at(-1);
    if (last?.point === point && last.result === result) last.plugins.push(plugin);
    else this.#calls.push({ point, plugins: [plugin], result });
  }

  toString(): string {
    return this.#calls.map((call) => `${call.point}: ${call.plugins.join(', ')} → ${call.result}`).join('\n');
  }
}

type Method = (...args: never[]) => unknown;

/** A plugin whose calls are recorded. It has no signature, so that every pod is evaluated for itself. */
function recorded(plugin: Plugin, transcript: Transcript, nodeAt: (slot: number) => string): Plugin {
  const add = (point: string, result: string): void => transcript.add(point, plugin.name, result);
  const addScores = (point: string, { slots, count }: FeasibleNodes, scores: Float64Array): void =>
    add(point, Array.from(slots.subarray(0, count), (slot, i) => `${nodeAt(slot)} ${scores[i]}`).join(', '));
  const wrappers: { [K in keyof Plugin]?: (original: Method) => unknown } = {
    signature: () => undefined,
    preEnqueue: (original) => (pod: never) => {
      const status = original(pod) as Status | undefined;
      add('PreEnqueue', statusText(status));
      return status;
    },
    preFilter: (original) => (state: never, pod: never) => {
      const result = original(state, pod) as ReturnType<NonNullable<Plugin['preFilter']>>;
      add('PreFilter', statusText(result?.status));
      return result;
    },
    filter: (original) => (state: never, pod: never, node: { name: string }) => {
      const status = original(state, pod, node as never) as Status | undefined;
      transcript.addFilter(node.name, plugin.name, status);
      return status;
    },
    bindFilter: (original) => (state: never, pod: never) => {
      const filter = original(state, pod) as (node: { name: string }) => Status | undefined;
      return (node: { name: string }) => {
        const status = filter(node);
        transcript.addFilter(node.name, plugin.name, status);
        return status;
      };
    },
    postFilter: (original) => (state: never, pod: never, failure: never) => {
      transcript.startPostFilter();
      const result = original(state, pod, failure) as { status: Status | undefined; nominatedNodeName?: string };
      add('PostFilter', statusText(result.status) + (result.nominatedNodeName ? ` ${result.nominatedNodeName}` : ''));
      return result;
    },
    preScore: (original) => (state: never, pod: never, feasible: never) => {
      const status = original(state, pod, feasible) as Status | undefined;
      add('PreScore', statusText(status));
      return status;
    },
    bindScore: (original) => (state: never, pod: never) => {
      const score = original(state, pod) as (node: { name: string }) => number;
      return (node: { name: string }) => {
        const value = score(node);
        add(`Score ${node.name}`, String(value));
        return value;
      };
    },
    scoreAll: (original) => (state: never, pod: never, feasible: FeasibleNodes, scores: Float64Array) => {
      original(state, pod, feasible as never, scores as never);
      addScores('Score', feasible, scores);
    },
    normalizeScores: (original) => (state: never, pod: never, feasible: FeasibleNodes, scores: Float64Array) => {
      original(state, pod, feasible as never, scores as never);
      addScores('NormalizeScore', feasible, scores);
    },
    reserve: (original) => (state: never, pod: never, nodeName: never) => {
      const status = original(state, pod, nodeName) as Status | undefined;
      add(`Reserve ${String(nodeName)}`, statusText(status));
      return status;
    },
    permit: (original) => (state: never, pod: never, nodeName: never) => {
      const result = original(state, pod, nodeName) as { status: Status | undefined };
      add(`Permit ${String(nodeName)}`, statusText(result.status));
      return result;
    },
    preBind: (original) => async (state: never, pod: never, nodeName: never, signal: never) => {
      const status = (await original(state, pod, nodeName, signal)) as Status | undefined;
      add(`PreBind ${String(nodeName)}`, statusText(status));
      return status;
    },
    bind: (original) => async (state: never, pod: never, nodeName: never, signal: never) => {
      const status = (await original(state, pod, nodeName, signal)) as Status | undefined;
      add(`Bind ${String(nodeName)}`, statusText(status));
      return status;
    },
    postBind: (original) => (state: never, pod: never, nodeName: never) => {
      original(state, pod, nodeName);
      add(`PostBind ${String(nodeName)}`, 'Success');
    },
  };
  return new Proxy(plugin, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      const original = (value as Method).bind(target) as Method;
      const wrap = wrappers[property as keyof Plugin];
      return wrap === undefined ? original : wrap(original);
    },
  });
}

const recordingRegistry = (transcript: Transcript): PluginRegistry =>
  Object.fromEntries(
    Object.entries<PluginRegistry[string]>(plugins).map(([name, factory]) => [
      name,
      (args, handle) =>
        recorded(factory(args, handle), transcript, (slot) => handle.cache.table.nodes[slot]?.name ?? ''),
    ]),
  );

describe('a scheduling decision, call by call', () => {
  let fixture: SchedulerFixture;
  let transcript: Transcript;

  const start = async (): Promise<void> => {
    transcript = new Transcript();
    fixture = await startSchedulerFixture({ plugins: recordingRegistry(transcript) });
    const taint = { key: 'dedicated', value: 'db', effect: 'NoSchedule' };
    await fixture.createNode(makeNode('tainted').taint(taint));
    await fixture.createNode(makeNode('small').allocatable({ cpu: '4' }).label('disk', 'ssd'));
    await fixture.createNode(makeNode('large').allocatable({ cpu: '16' }).image('example.com/app:1', 500_000_000));
    await fixture.start();
  };
  afterEach(() => fixture.stop());

  it('a pod that fits on two of three nodes', async () => {
    await start();
    const preference = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] };
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, preference }] };
    await fixture.createPod(makePod('web').requests({ cpu: '2', memory: '1Gi' }).spec({ affinity: { nodeAffinity } }));
    await fixture.until('the pod is bound', () => Promise.resolve(transcript.toString().includes('PostBind')));
    expect(`\n${transcript.toString()}\n`).toMatchInlineSnapshot(`
      "
      PreEnqueue: SchedulingGates, DynamicResources, DefaultPreemption, GangScheduling → Success
      PreFilter: NodeName, NodeAffinity, NodePorts, VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone, PodTopologySpread → Skip
      PreFilter: InterPodAffinity → Success
      PreFilter: DynamicResources, NodeDeclaredFeatures → Skip
      Filter large: NodeUnschedulable, TaintToleration, NodeResourcesFit, InterPodAffinity → Success
      Filter small: NodeUnschedulable, TaintToleration, NodeResourcesFit, InterPodAffinity → Success
      Filter tainted: NodeUnschedulable → Success
      Filter tainted: TaintToleration → UnschedulableAndUnresolvable: node(s) had untolerated taint(s)
      PreScore: TaintToleration → Skip
      PreScore: NodeAffinity → Success
      PreScore: VolumeBinding, PodTopologySpread, InterPodAffinity, DynamicResources → Skip
      PreScore: NodeResourcesBalancedAllocation → Success
      Score large: NodeResourcesFit → 87
      Score large: NodeResourcesBalancedAllocation → 75
      Score large: ImageLocality → 13
      Score large: NodeAffinity → 0
      Score small: NodeResourcesFit → 68
      Score small: NodeResourcesBalancedAllocation → 65
      Score small: ImageLocality → 0
      Score small: NodeAffinity → 10
      NormalizeScore: NodeAffinity → large 0, small 100
      Reserve small: VolumeBinding, DynamicResources, GangScheduling → Success
      Permit small: GangScheduling → Success
      Bind small: DefaultBinder → Success
      PostBind small: GangScheduling → Success
      "
    `);
  });

  it('a pod that fits nowhere, and preempts', async () => {
    await start();
    const important = { metadata: { name: 'important' }, value: 1000 };
    await fixture.client.resource('scheduling.k8s.io/v1/priorityclasses').create(important);
    await fixture.createPod(makePod('batch').node('large').requests({ cpu: '14' }));
    await fixture.createPod(makePod('web').requests({ cpu: '8' }).spec({ priorityClassName: 'important' }));
    await fixture.until(
      'web is nominated',
      async () => (await fixture.pod('web')).status?.nominatedNodeName !== undefined,
    );
    expect(`\n${transcript.toString()}\n`).toMatchInlineSnapshot(`
      "
      PreEnqueue: SchedulingGates, DynamicResources, DefaultPreemption, GangScheduling → Success
      PreFilter: NodeName, NodeAffinity, NodePorts, VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone, PodTopologySpread → Skip
      PreFilter: InterPodAffinity → Success
      PreFilter: DynamicResources, NodeDeclaredFeatures → Skip
      Filter large: NodeUnschedulable, TaintToleration → Success
      Filter large: NodeResourcesFit → Unschedulable: Insufficient cpu
      Filter small: NodeUnschedulable, TaintToleration → Success
      Filter small: NodeResourcesFit → UnschedulableAndUnresolvable: Insufficient cpu
      Filter tainted: NodeUnschedulable → Success
      Filter tainted: TaintToleration → UnschedulableAndUnresolvable: node(s) had untolerated taint(s)
      PostFilter: DynamicResources → Unschedulable: no new claims to deallocate
      Filter large: NodeResourcesFit, InterPodAffinity → Success
      PostFilter: DefaultPreemption → Success large
      "
    `);
  });
});
