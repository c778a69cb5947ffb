/** The process in which one bench module runs: gets the file and the options, sends the rows to its parent. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BenchModule, BenchOptions } from '../bench/harness.ts';

const [file = '', options = '{}'] = process.argv.slice(2);
const loaded = (await import(pathToFileURL(path.resolve(file)).href)) as Partial<BenchModule>;
if (loaded.name === undefined || loaded.run === undefined) process.send?.({ module: false });
else {
  const parsed = JSON.parse(options) as BenchOptions & { filter?: string };
  const wanted = parsed.filter === undefined || loaded.name.includes(parsed.filter);
  process.send?.({ module: true, name: loaded.name, rows: wanted ? await loaded.run(parsed) : undefined });
}
process.disconnect?.();
