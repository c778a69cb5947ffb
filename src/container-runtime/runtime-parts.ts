/** The dependencies that all CRI calls share: configuration, records, images, network, locks. */
import type { Context } from '../kernel/index.ts';
import type { ContainerEvents } from './container-events.ts';
import type { ExitWaiters } from './containers/exit-waiters.ts';
import type { ImageStore } from './images/index.ts';
import type { PodNetwork } from './network/index.ts';
import type { OciRuntime } from './oci-runtime.ts';
import type { HostFeatures } from './oci-spec/container-spec.ts';
import type { ContainerRecord } from './records/container-record.ts';
import type { KeyedLock } from './records/keyed-lock.ts';
import type { RecordStore } from './records/record-store.ts';
import type { SandboxRecord } from './records/sandbox-record.ts';
import type { StatePaths } from './state-paths.ts';
import type { CgroupTree } from './stats/cgroup-tree.ts';

export interface RuntimeParts {
  readonly ctx: Context;
  readonly rootDirectory: string;
  readonly paths: StatePaths;
  readonly sandboxes: RecordStore<SandboxRecord>;
  readonly containers: RecordStore<ContainerRecord>;
  readonly images: ImageStore;
  readonly network: PodNetwork | undefined;
  readonly locks: KeyedLock;
  readonly events: ContainerEvents;
  readonly exits: ExitWaiters;
  readonly host: HostFeatures;
  readonly cgroups: CgroupTree;
  readonly handlers: ReadonlyMap<string, OciRuntime>;
  readonly defaultHandler: string;
  readonly conmon: string;
  readonly systemdCgroups: boolean;
  /** The cgroup parent of sandboxes that name none. */
  readonly defaultCgroupParent: string;
  readonly nodeNetns: string | undefined;
  readonly nodeHostname: string;
  readonly cdiDirectories: readonly string[];
  /** Runs work in the background. Failures are logged, and shutdown waits for it. */
  background(what: string, work: () => Promise<void>): void;
}

/** Nanoseconds since the epoch, CRI's unit of time. */
export function nowNanoseconds(ctx: Context): number {
  return Math.round(ctx.clock.now() * 1e6);
}

/** 64 hexadecimal digits, as in other runtimes. */
export function newId(ctx: Context): string {
  return Buffer.from(ctx.random.bytes(32)).toString('hex');
}
