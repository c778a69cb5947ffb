import { expect, it } from 'vitest';
import { orderedEndpointsPorts, orderedSlicePorts } from './port-order.ts';

const PORTS = [
  { name: 'http', port: 8000, protocol: 'TCP' },
  { name: 'dns', port: 53, protocol: 'UDP' },
  { name: 'admin', port: 8001, protocol: 'TCP', appProtocol: 'example.com/x' },
  { name: 'metrics', port: 9000, protocol: 'TCP' },
];
const names = (ports: readonly { name: string }[]): string => ports.map(({ name }) => name).join();

it('ports have the order that kube-controller-manager writes them in', () => {
  expect(names(orderedEndpointsPorts(PORTS))).toBe('metrics,http,admin,dns');
  expect(names(orderedSlicePorts(PORTS))).toBe('dns,http,metrics,admin');
});
