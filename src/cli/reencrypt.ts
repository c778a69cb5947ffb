/** `k8ts reencrypt`: re-encrypts all stored objects with the newest key, while the cluster is stopped. */
import fs from 'node:fs';
import path from 'node:path';
import { openEncryption, openStore, reencryptAll } from '../apiserver/index.ts';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { print } from './output.ts';
import { readProcessFile } from './process-file.ts';
import { untilSignal } from './until-signal.ts';

export const flags = {
  ...dataDirFlag,
  'etcd-servers': { kind: 'texts', summary: 'Endpoints of the etcd that stores the cluster' },
  'encryption-provider-config': {
    kind: 'text',
    summary: 'The EncryptionConfiguration (default DIR/pki/encryption-config.yaml)',
  },
  ...outputFlag,
} as const satisfies FlagTable;

export async function run(argv: readonly string[]): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(
      flagsHelp(flags, {
        usage:
          'k8ts reencrypt: after a rotation, encrypt everything with the first key of the configuration; the cluster must not be running',
      }),
    );
    return 0;
  }
  const directory = path.resolve(values['data-dir']);
  const endpoints = values['etcd-servers'];
  if (!endpoints && readProcessFile(directory))
    throw new CommandError(
      `a cluster is running in ${directory}; stop it first with "k8ts down --data-dir ${directory}"`,
    );
  if (!endpoints && !fs.existsSync(path.join(directory, 'etcd')))
    throw new CommandError(`there is no cluster in ${directory}; name its directory with --data-dir`);
  const { ctx, release } = untilSignal({ verbosity: 0 });
  const store = await openStore(
    ctx,
    endpoints ? { type: 'etcd', endpoints } : { type: 'embedded', directory: path.join(directory, 'etcd') },
  );
  try {
    const encryption = await openEncryption(
      ctx,
      path.resolve(values['encryption-provider-config'] ?? path.join(directory, 'pki', 'encryption-config.yaml')),
    );
    try {
      print(
        values.output,
        await reencryptAll(store, encryption.transformer),
        ({ rewritten, seen }) => `${rewritten} of ${seen} objects were re-encrypted`,
      );
    } finally {
      encryption.close();
    }
  } finally {
    await store.close();
    release();
  }
  return 0;
}
