/** kubectl on a machine of a test, and what tests ask a cluster of machines for. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '../../src/api/generated/core-v1.ts';
import { until } from '../../src/kernel/testing/index.ts';
import type { Machine, Machines } from './machines.ts';

export interface Kubectl {
  /** Its stdout; an error has its stderr. */
  kubectl(...args: string[]): Promise<string>;
  apply(...objects: object[]): Promise<void>;
  podsOf(selector: string): Promise<Pod[]>;
}

/** With the administrator's kubeconfig in the data directory of the machine that `server` gives. */
export function kubectlOn(machines: () => Machines, server: () => Machine): Kubectl {
  let files = 0;
  const kubectl = (...args: string[]): Promise<string> => {
    const { directory, runAsync } = server();
    return runAsync('kubectl', '--kubeconfig', join(directory, 'kubeconfig'), ...args);
  };
  return {
    kubectl,
    apply: async (...objects) => {
      const file = join(machines().scratch, `objects-${files++}.json`);
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
      await kubectl('apply', '-f', file);
    },
    podsOf: async (selector) =>
      (JSON.parse(await kubectl('get', 'pods', '-l', selector, '-o', 'json')) as { items: Pod[] }).items,
  };
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;

/** Waits until there are `count` pods and all are Ready. */
export async function untilPodsReady(
  what: string,
  count: number,
  list: () => Promise<Pod[]>,
  { limitMs = 120_000, intervalMs = 200 } = {},
): Promise<Pod[]> {
  let pods: Pod[] = [];
  const unready = (): Pod[] => pods.filter((pod) => !isReady(pod));
  const details = (): string =>
    `${pods.length - unready().length} of ${pods.length} are, not ${JSON.stringify(unready()[0]?.status)}`;
  await until(
    `${count} pods of ${what} are ready`,
    async () => {
      pods = await list();
      return pods.length === count && unready().length === 0;
    },
    { limitMs, intervalMs, details },
  );
  return pods;
}

/** A container of an image that the test has loaded. */
export const containerOf = (image: 'busybox' | 'www', command?: string) => ({
  name: 'main',
  image: `docker.io/library/${image}:test`,
  imagePullPolicy: 'Never',
  ...(command === undefined ? {} : { command: ['sh', '-c', command] }),
});
