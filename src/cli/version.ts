import { VERSION } from '../apiserver/version.ts';

export function run(): Promise<number> {
  console.log(`Kubernetes API ${VERSION.gitVersion}`);
  console.log(`Node ${process.version}`);
  return Promise.resolve(0);
}
