import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import { parseControllerManagerFlags } from '../command.ts';
import { managerClients } from './options.ts';

it('knows the CA of its kubeconfig, for pods when there is no --root-ca-file', async () => {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-manager-'));
  const ca = '-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n';
  const cluster = { server: 'https://127.0.0.1:1', 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const kubeconfig = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  const file = path.join(directory, 'kubeconfig');
  await fs.writeFile(file, JSON.stringify(kubeconfig));
  const { values } = parseControllerManagerFlags([`--kubeconfig=${file}`]);
  const clients = await managerClients(createTestContext(), values);
  expect(clients.serverCa).toBe(ca);
  await clients.close();
  await fs.rm(directory, { recursive: true });
});
