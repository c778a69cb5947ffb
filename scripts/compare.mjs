// npm run compare: sends the same conversations to k8ts and to another API server and prints how their answers differ.
//   npm run compare -- --against other.kubeconfig --seed 7 --areas create,patch --requests 5000
import path from 'node:path';
import process from 'node:process';
import { ensureInstalled, root, runNode } from './toolchain.mjs';

ensureInstalled();
process.exit(
  await runNode(['--import', 'tsx', path.join(root, 'test', 'compare', 'main.ts'), ...process.argv.slice(2)]),
);
