/**
 * Address ranges that clusters on this machine have claimed: a file per cluster in the state directory, written under
 * a lock, so that two clusters that start at once get different ones.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { AddressRange } from '../../base/index.ts';
import { makeDirectorySync } from '../../kernel/index.ts';
import { lockFile } from '../../net/netns/index.ts';
import { FabricError, type FabricOptions, type FabricRanges } from './fabric.ts';

export interface Claim {
  readonly cluster: string;
  /** What interfaces, tables and namespaces of the cluster are called by: eight hexadecimal digits. */
  readonly id: string;
  readonly ranges: FabricRanges;
  readonly families: readonly ('IPv4' | 'IPv6')[];
  readonly egress: boolean;
  readonly mtu: number;
}

export const fabricId = (cluster: string): string => createHash('sha256').update(cluster).digest('hex').slice(0, 8);

/** How many clusters of a machine can have default ranges. */
const SLOTS = 32;

/** The ranges of a slot: nodes 10.64+n/16, services 10.96+n/16, pods 10.244-n/16, and of IPv6 a local prefix by name. */
function rangesOfSlot(slot: number, families: readonly ('IPv4' | 'IPv6')[], cluster: string): FabricRanges {
  const digest = createHash('sha256').update(`k8ts/${cluster}/${slot}`).digest('hex');
  const local = `fd${digest.slice(0, 2)}:${digest.slice(2, 6)}:${digest.slice(6, 10)}`;
  const pick = (v4: string, v6: string): string[] =>
    families.map((family) => (family === 'IPv4' ? v4 : AddressRange.parse(v6).toString()));
  return {
    nodes: pick(`10.${64 + slot}.0.0/16`, `${local}:0::/64`),
    services: pick(`10.${96 + slot}.0.0/16`, `${local}:ff00::/112`),
    pods: pick(`10.${244 - slot}.0.0/16`, `${local}:100::/56`),
  };
}

interface ClaimContext {
  readonly stateDirectory: string;
  /** Ranges that the machine's routes lead to already. */
  readonly routedRanges: readonly string[];
}

/** The cluster's claim: the one that it has, or a new one that collides with nothing. */
export function claim(options: FabricOptions, { stateDirectory, routedRanges }: ClaimContext): Claim {
  const { name, families = ['IPv4'], egress = false, mtu = 1500 } = options;
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))
    throw new FabricError('bad-name', `"${name}" is not a name of a cluster: lower-case letters, digits and dashes`);
  const existing = readClaim(stateDirectory, name);
  if (existing !== undefined) return sameClaim(existing, options);
  const id = fabricId(name);
  const lock = lockFile(path.join(stateDirectory, 'fabric.lock'));
  try {
    const others = listClaims(stateDirectory);
    const taken = [
      ...others.flatMap(({ cluster, ranges }) =>
        allRanges(ranges).map((range) => ({ range, by: `the cluster ${cluster}` })),
      ),
      ...routedRanges.map((range) => ({ range, by: 'a route of this machine' })),
    ];
    const ranges = freeRanges(options, families, taken);
    const made: Claim = { cluster: name, id, ranges, families, egress, mtu };
    const file = claimFile(stateDirectory, name);
    makeDirectorySync(path.dirname(file));
    fs.writeFileSync(`${file}.new`, JSON.stringify(made, undefined, 2));
    fs.renameSync(`${file}.new`, file);
    return made;
  } finally {
    lock.release();
  }
}

function freeRanges(
  { name, ranges: wanted = {} }: FabricOptions,
  families: Claim['families'],
  taken: readonly { range: string; by: string }[],
): FabricRanges {
  let refused = '';
  for (let slot = 0; slot < SLOTS; slot++) {
    const ranges = { ...rangesOfSlot(slot, families, name), ...wanted };
    const own = allRanges(ranges);
    const collision =
      taken.flatMap(({ range, by }) =>
        own
          .filter((each) => AddressRange.parse(each).overlaps(AddressRange.parse(range)))
          .map((each) => ({ each, range, by })),
      )[0] ??
      own.flatMap((each, index) =>
        own
          .slice(index + 1)
          .filter((other) => AddressRange.parse(each).overlaps(AddressRange.parse(other)))
          .map((range) => ({ each, range, by: 'the cluster itself' })),
      )[0];
    if (collision === undefined) return ranges;
    refused = `${collision.each} overlaps ${collision.range} of ${collision.by}`;
    if (Object.values(wanted).some((list) => list?.includes(collision.each)))
      throw new FabricError('range-taken', `the cluster ${name} cannot have its ranges: ${refused}`);
  }
  throw new FabricError('no-range-left', `no address ranges are left for the cluster ${name}: ${refused}`);
}

/** An existing claim is kept; a different request is an error. */
function sameClaim(existing: Claim, { name, ranges = {}, families, mtu, egress }: FabricOptions): Claim {
  const differs = (Object.keys(ranges) as (keyof FabricRanges)[]).find(
    (key) => ranges[key] !== undefined && ranges[key].join() !== existing.ranges[key].join(),
  );
  if (differs !== undefined)
    throw new FabricError(
      'claim-differs',
      `the cluster ${name} has the ${differs} range ${existing.ranges[differs].join()}, not ${ranges[differs]?.join()}; remove it first`,
    );
  if (families !== undefined && families.join() !== existing.families.join())
    throw new FabricError(
      'claim-differs',
      `the cluster ${name} has ${existing.families.join(' and ')}; remove it first`,
    );
  return { ...existing, mtu: mtu ?? existing.mtu, egress: egress ?? existing.egress };
}

export function releaseClaim(stateDirectory: string, cluster: string): void {
  fs.rmSync(path.join(stateDirectory, 'fabric', cluster), { recursive: true, force: true });
}

export function listClaims(stateDirectory: string): Claim[] {
  const directory = path.join(stateDirectory, 'fabric');
  if (!fs.existsSync(directory)) return [];
  return fs.readdirSync(directory).flatMap((cluster) => readClaim(stateDirectory, cluster) ?? []);
}

function readClaim(stateDirectory: string, cluster: string): Claim | undefined {
  try {
    // Our own file, written whole or not at all.
    return JSON.parse(fs.readFileSync(claimFile(stateDirectory, cluster), 'utf8')) as Claim;
  } catch {
    return undefined;
  }
}

export const fabricDirectory = (stateDirectory: string, cluster: string): string =>
  path.join(stateDirectory, 'fabric', cluster);
const claimFile = (stateDirectory: string, cluster: string): string =>
  path.join(fabricDirectory(stateDirectory, cluster), 'claim.json');
const allRanges = ({ nodes, pods, services }: FabricRanges): string[] => [...nodes, ...pods, ...services];
