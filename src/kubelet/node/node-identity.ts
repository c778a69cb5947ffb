/** The labels, taints and addresses with which the node registers. */
import net from 'node:net';
import type { Taint } from '../../api/generated/core-v1.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import type { Machine } from './machine.ts';

export function nodeLabelSet(
  { nodeName, nodeLabels = {} }: KubeletConfig,
  { architecture }: Machine,
): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': architecture,
    'kubernetes.io/hostname': nodeName,
    'kubernetes.io/os': 'linux',
    ...nodeLabels,
  };
}

export function nodeTaints({ registerWithTaints, cloudProvider }: KubeletConfig): Taint[] {
  const taints = registerWithTaints.map((taint): Taint => ({
    key: String(taint['key'] ?? ''),
    effect: String(taint['effect'] ?? ''),
    ...(taint['value'] === undefined ? {} : { value: String(taint['value']) }),
  }));
  if (cloudProvider === 'external')
    taints.push({ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' });
  return taints;
}

export function nodeAddressList({ nodeAddresses, nodeName }: KubeletConfig): { type: string; address: string }[] {
  return [
    ...nodeAddresses.filter((address) => net.isIP(address) !== 0).map((address) => ({ type: 'InternalIP', address })),
    { type: 'Hostname', address: nodeName },
  ];
}
