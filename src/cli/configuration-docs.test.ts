import { expect, it } from 'vitest';
import { flagsReference } from '../flags/index.ts';
import { CONFIGURED } from './config.ts';

/** `npx vitest run src/cli/configuration-docs.test.ts -u` writes the page anew. */
it('documents every key of k8ts.yaml', async () => {
  await expect(`# k8ts.yaml

The keys of the configuration file, which are the flags of \`k8ts up\` and \`k8ts join\`: \`port: 6443\` is \`--port 6443\`.
[Configuration](configuration.md#k8tsyaml) tells how the file is found and checked. This page is written from the
tables that define the flags.

## \`k8ts up\`

${flagsReference(CONFIGURED.up.flags)}

## \`k8ts join\`

${flagsReference(CONFIGURED.join.flags)}
`).toMatchFileSnapshot('../../docs/k8ts-yaml.md');
});
