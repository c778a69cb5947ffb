/** The static policy of the CPU manager: guaranteed pods that ask for whole CPUs have them for themselves. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Container, EphemeralContainer, Pod } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../machinery/quantity/index.ts';
import { qosClass } from '../pod/pod-resources.ts';
import { uidOf } from '../pod/pod-text.ts';

const FILE = 'cpu_manager_state';

export interface CpuManagerSettings {
  readonly policy: string;
  readonly rootDirectory: string;
  readonly cpus: readonly number[];
  /** CPUs that no pod gets for itself. */
  readonly reserved: readonly number[];
}

interface State {
  readonly policyName: string;
  readonly defaultCpuSet: string;
  readonly entries: Record<string, Record<string, string>>;
}

export class CpuManager {
  readonly #settings: CpuManagerSettings;
  readonly #entries = new Map<string, Map<string, number[]>>();

  constructor(settings: CpuManagerSettings) {
    this.#settings = settings;
  }

  async load(): Promise<void> {
    const text = await fs.readFile(path.join(this.#settings.rootDirectory, FILE), 'utf8').catch(() => undefined);
    if (text === undefined || this.#settings.policy !== 'static') return;
    const state = JSON.parse(text) as State;
    if (state.policyName !== this.#settings.policy) return;
    for (const [uid, containers] of Object.entries(state.entries ?? {})) this.#entries.set(uid, new Map(Object.entries(containers).map(([name, set]) => [name, parseCpuSet(set)])));
  }

  /** The CPUs that a container may run on; undefined when it may run on all. */
  async assign(pod: Pod, container: Container | EphemeralContainer): Promise<string | undefined> {
    if (this.#settings.policy !== 'static') return undefined;
    const wanted = exclusiveCpus(pod, container);
    if (wanted === 0) return formatCpuSet(this.#shared());
    const ofPod = this.#entries.get(uidOf(pod)) ?? new Map<string, number[]>();
    const before = ofPod.get(container.name);
    if (before !== undefined) return formatCpuSet(before);
    const free = this.#shared().filter((cpu) => !this.#settings.reserved.includes(cpu));
    if (free.length < wanted) throw new Error(`not enough cpus available to satisfy request: requested=${wanted}, available=${free.length}`);
    const chosen = free.slice(0, wanted);
    ofPod.set(container.name, chosen);
    this.#entries.set(uidOf(pod), ofPod);
    await this.#save();
    return formatCpuSet(chosen);
  }

  release(podUid: string): boolean {
    return this.#entries.delete(podUid);
  }

  async save(): Promise<void> {
    await this.#save();
  }

  /** What is left for everyone else. */
  #shared(): number[] {
    const taken = new Set([...this.#entries.values()].flatMap((containers) => [...containers.values()].flat()));
    return this.#settings.cpus.filter((cpu) => !taken.has(cpu));
  }

  async #save(): Promise<void> {
    const entries = Object.fromEntries(Array.from(this.#entries, ([uid, containers]) => [uid, Object.fromEntries(Array.from(containers, ([name, cpus]) => [name, formatCpuSet(cpus)]))]));
    const state: State = { policyName: this.#settings.policy, defaultCpuSet: formatCpuSet(this.#shared()), entries };
    const file = path.join(this.#settings.rootDirectory, FILE);
    await fs.writeFile(`${file}.tmp`, JSON.stringify(state));
    await fs.rename(`${file}.tmp`, file);
  }
}

function exclusiveCpus(pod: Pod, { resources }: Container | EphemeralContainer): number {
  if (qosClass(pod) !== 'Guaranteed') return 0;
  const request = resources?.requests?.['cpu'] ?? resources?.limits?.['cpu'];
  const milli = request === undefined ? 0 : parseQuantity(request).milliValue();
  return milli % 1000 === 0 ? milli / 1000 : 0;
}

/** `0-2,5` both ways. */
export function parseCpuSet(text: string): number[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });
}

export function formatCpuSet(cpus: readonly number[]): string {
  const sorted = cpus.toSorted((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end++;
    parts.push(end === i ? String(sorted[i]) : `${sorted[i]}-${sorted[end]}`);
    i = end + 1;
  }
  return parts.join(',');
}
