/** `k8ts reencrypt`: writes again what an older key, or none, has written, while the cluster is stopped. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openEncryption, openStore, reencryptAll } from '../apiserver/index.ts';
import { untilSignal } from './until-signal.ts';

const HELP = `k8ts reencrypt: after a rotation, encrypt everything with the first key of the configuration

  --data-dir DIR                     where the cluster lives (default .k8ts); the cluster must not be running
  --etcd-servers URLS                the cluster is in a real etcd instead of DIR, a list with commas
  --encryption-provider-config FILE  the EncryptionConfiguration (default DIR/pki/encryption-config.yaml)`;

export async function run(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      'data-dir': { type: 'string' },
      'etcd-servers': { type: 'string' },
      'encryption-provider-config': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    strict: true,
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const directory = path.resolve(values['data-dir'] ?? '.k8ts');
  const { ctx, release } = untilSignal({ verbosity: 0 });
  const endpoints = values['etcd-servers']?.split(',');
  const store = await openStore(ctx, endpoints ? { type: 'etcd', endpoints } : { type: 'embedded', directory: path.join(directory, 'etcd') });
  try {
    const encryption = await openEncryption(ctx, path.resolve(values['encryption-provider-config'] ?? path.join(directory, 'pki', 'encryption-config.yaml')));
    try {
      const { seen, rewritten } = await reencryptAll(store, encryption.transformer);
      console.log(`${rewritten} of ${seen} objects were written again`);
    } finally {
      encryption.close();
    }
  } finally {
    await store.close();
    release();
  }
  return 0;
}
