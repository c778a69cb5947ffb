/** Parses CNI ADD results of all versions of the specification. */
import type { Attachment } from '../pod-network.ts';
import { isObject, type Json, type JsonObject } from './network-list.ts';

const withoutPrefixLength = (cidr: string): string => cidr.split('/')[0]!;
const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? (value as Json[]).filter(isObject) : [];
const text = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The addresses of the interface inside the sandbox, in the plugin's order. */
export function attachmentOf(result: JsonObject, interfaceName: string): Attachment {
  const interfaces = objects(result.interfaces);
  const inside = interfaces.findIndex(({ name, sandbox }) => name === interfaceName && text(sandbox) !== undefined);
  // Up to 0.2.0 results have one address per family; from 0.3.0 on a list, whose entries may name their interface.
  const old = [result.ip4, result.ip6].filter(isObject).map(({ ip, gateway }) => ({ address: ip, gateway }));
  const entries: JsonObject[] = [
    ...old.map(({ address, gateway }) => ({
      ...(address === undefined ? {} : { address }),
      ...(gateway === undefined ? {} : { gateway }),
    })),
    ...objects(result.ips),
  ];
  const sandboxEntries = entries.filter(
    (entry) => entry.interface === undefined || inside < 0 || entry.interface === inside,
  );
  const gateways = sandboxEntries.flatMap(({ gateway }) => text(gateway) ?? []);
  const link = interfaces[inside];
  return {
    ips: sandboxEntries.flatMap(({ address }) => (typeof address === 'string' ? [withoutPrefixLength(address)] : [])),
    interfaceName,
    ...(gateways.length === 0 ? {} : { gateways }),
    ...(text(link?.mac) === undefined ? {} : { mac: text(link?.mac)! }),
    ...(typeof link?.mtu === 'number' ? { mtu: link.mtu } : {}),
  };
}
