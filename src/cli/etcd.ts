/** `k8ts etcd`: the store over etcd's own API, and its snapshots. */
import { runEtcdCommand } from '../etcd/index.ts';
import { untilSignal } from './until-signal.ts';

export { etcdFlags as flags } from '../etcd/index.ts';
export const verbs = ['snapshot'] as const;

export async function run(argv: readonly string[]): Promise<number> {
  const { ctx, release } = untilSignal({ name: 'etcd' });
  try {
    await runEtcdCommand(ctx, argv);
    return 0;
  } finally {
    release();
  }
}
