/** Validates flag values of `k8ts up` that would otherwise fail later with worse errors. */
import net from 'node:net';
import { AddressRange } from '../base/index.ts';
import { UsageError } from '../flags/index.ts';

export interface CheckedFlags {
  readonly port: number;
  readonly nodes: number | undefined;
  readonly 'simulated-nodes': number;
  readonly 'bind-address': string;
  readonly 'data-dir': string | undefined;
  readonly 'service-cluster-ip-range': string;
  readonly 'cluster-cidr': string;
  readonly 'snapshot-interval': number;
  readonly 'snapshot-retention': number;
}

/** kube-apiserver's minimum. */
const MIN_SERVICE_ADDRESSES = 8n;

const MIN_SNAPSHOT_INTERVAL_MS = 60_000;

export function checkUpFlags(values: CheckedFlags): void {
  const { port, nodes = 0, 'bind-address': address } = values;
  if (port < 0 || port > 65_535)
    throw new UsageError(`invalid port ${port}: it must be 1 to 65535, or 0 for a free port`);
  if (nodes < 0 || values['simulated-nodes'] < 0) throw new UsageError('a cluster cannot have fewer than 0 nodes');
  if (net.isIP(address) === 0 && address !== 'localhost')
    throw new UsageError(
      `--bind-address ${JSON.stringify(address)} is not an address; 127.0.0.1 is this machine alone, 0.0.0.0 all of its addresses`,
    );
  const interval = values['snapshot-interval'];
  if (interval !== 0 && interval < MIN_SNAPSHOT_INTERVAL_MS)
    throw new UsageError('--snapshot-interval is at least 1m, or 0 for no snapshots');
  if (values['snapshot-retention'] < 1) throw new UsageError('--snapshot-retention is at least 1');
  if (values['data-dir'] === '') throw new UsageError('--data-dir is empty; name a directory, or omit the flag');
  rangesOf('cluster-cidr', values['cluster-cidr']);
  for (const range of rangesOf('service-cluster-ip-range', values['service-cluster-ip-range'])) {
    if (range.size < MIN_SERVICE_ADDRESSES)
      throw new UsageError(
        `--service-cluster-ip-range ${range.toString()} must have at least ${MIN_SERVICE_ADDRESSES} addresses`,
      );
  }
}

function rangesOf(flag: string, text: string): AddressRange[] {
  return text.split(',').map((cidr) => {
    try {
      return AddressRange.parse(cidr);
    } catch {
      throw new UsageError(`--${flag} ${JSON.stringify(cidr)} is not a range of addresses, such as 10.96.0.0/16`);
    }
  });
}
