/** Parses a kubelet's `/metrics/resource` in the Prometheus text format. Pure. */

/** The CPU counter and the memory working set at one time. */
export interface Reading {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface ContainerReading extends Reading {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface NodeReadings {
  readonly node: Reading | undefined;
  readonly containers: readonly ContainerReading[];
}

const LINE = /^([a-z_]+)(?:\{([^}]*)\})? (\S+)(?: (\d+))?$/;
const LABEL = /(?<![a-zA-Z_])([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"/g;

type Draft = { -readonly [K in keyof ContainerReading]?: ContainerReading[K] };

/** Lines without a timestamp count as of `now`. */
export function parseResourceMetrics(text: string, now: number): NodeReadings {
  const node: Draft = {};
  const containers = new Map<string, Draft>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value, time] = LINE.exec(line.trim()) ?? [];
    const number = Number(value);
    if (name === undefined || !Number.isFinite(number)) continue;
    const at = time === undefined ? now : Number(time);
    if (name.startsWith('node_')) note(node, name.slice('node_'.length), number, at);
    else if (name.startsWith('container_'))
      note(containerOf(containers, labels), name.slice('container_'.length), number, at);
  }
  return {
    node: complete(node),
    containers: [...containers.values()].flatMap((draft) => (isContainer(draft) ? [draft] : [])),
  };
}

function note(draft: Draft, name: string, value: number, at: number): void {
  if (name === 'cpu_usage_seconds_total') [draft.cpuSeconds, draft.at] = [value, at];
  else if (name === 'memory_working_set_bytes') draft.memoryBytes = value;
}

function containerOf(containers: Map<string, Draft>, labels: string): Draft {
  const found: Record<string, string> = {};
  for (const [, key, value] of labels.matchAll(LABEL))
    found[key!] = value!.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c));
  const { namespace = '', pod = '', container = '' } = found;
  const key = JSON.stringify([namespace, pod, container]);
  let draft = containers.get(key);
  if (!draft) containers.set(key, (draft = { namespace, pod, container }));
  return draft;
}

function complete({ cpuSeconds, memoryBytes, at }: Draft): Reading | undefined {
  return cpuSeconds === undefined || memoryBytes === undefined || at === undefined
    ? undefined
    : { cpuSeconds, memoryBytes, at };
}

const isContainer = (draft: Draft): draft is ContainerReading =>
  complete(draft) !== undefined && draft.container !== '' && draft.pod !== '';
