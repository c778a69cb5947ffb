/** The nodes of a fabric as files: a folder per node with its record and its pinned namespace. */
import fs from 'node:fs';
import path from 'node:path';
import { AddressRange } from '../../base/index.ts';
import { makeDirectorySync } from '../../kernel/index.ts';
import { FabricError, type FabricNode } from './fabric.ts';

export interface NodeRecord extends FabricNode {
  /** Which address of each node range it has: the host is 1, nodes follow. */
  readonly number: number;
  /** The switch's port. */
  readonly port: string;
}

/** The last sixteenth of a node range is for load balancers. */
const NODE_NUMBERS = 4000;

export class NodeRecords {
  readonly #directory: string;
  readonly #ranges: readonly string[];
  readonly #nodes = new Map<string, NodeRecord>();

  constructor(directory: string, nodeRanges: readonly string[]) {
    this.#directory = directory;
    this.#ranges = nodeRanges;
    makeDirectorySync(directory, { mode: 0o700 });
    for (const name of fs.readdirSync(directory)) {
      try {
        // Our own file, written whole or not at all.
        const { number, podCidrs } = JSON.parse(
          fs.readFileSync(path.join(directory, name, 'node.json'), 'utf8'),
        ) as NodeRecord;
        this.#nodes.set(name, this.#record(name, number, podCidrs));
      } catch {
        // A crash before the record was written: nothing but the folder exists.
        fs.rmSync(path.join(directory, name), { recursive: true, force: true });
      }
    }
  }

  get all(): ReadonlyMap<string, NodeRecord> {
    return this.#nodes;
  }

  /** The record of a node, new with a number that no other has. */
  obtain(name: string, podCidrs: readonly string[]): NodeRecord {
    if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name))
      throw new FabricError('bad-name', `"${name}" is not a name of a node`);
    const existing = this.#nodes.get(name);
    if (existing !== undefined) return existing;
    const taken = new Set([...this.#nodes.values()].map(({ number }) => number));
    let number = 2;
    while (taken.has(number)) number++;
    const most = Math.min(NODE_NUMBERS, ...this.#ranges.map((range) => Number(AddressRange.parse(range).size) - 2));
    if (number > most)
      throw new FabricError('no-address-left', `no address is left for the node ${name} in ${this.#ranges.join()}`);
    return this.put(this.#record(name, number, podCidrs));
  }

  put(record: NodeRecord): NodeRecord {
    const file = path.join(this.#directory, record.name, 'node.json');
    makeDirectorySync(path.dirname(file));
    fs.writeFileSync(`${file}.new`, JSON.stringify({ number: record.number, podCidrs: record.podCidrs }));
    fs.renameSync(`${file}.new`, file);
    this.#nodes.set(record.name, record);
    return record;
  }

  delete(name: string): void {
    fs.rmSync(path.join(this.#directory, name), { recursive: true, force: true });
    this.#nodes.delete(name);
  }

  #record(name: string, number: number, podCidrs: readonly string[]): NodeRecord {
    return {
      name,
      number,
      podCidrs,
      port: `n${number}`,
      netnsPath: path.join(this.#directory, name, 'netns'),
      addresses: this.#ranges.map((range) => AddressRange.parse(range).at(number)),
    };
  }
}

/** Where no node's address lies. */
export function loadBalancerRange(nodeRange: string): string {
  const range = AddressRange.parse(nodeRange);
  return range.part(15, range.prefixLength + 4).toString();
}
