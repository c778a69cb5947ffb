// Runs generate.ts, which reads the declarations themselves, through tsx.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const here = import.meta.dirname;
const { status } = spawnSync(
  process.execPath,
  ['--import', 'tsx', path.join(here, 'generate.ts'), ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
