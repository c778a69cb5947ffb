/** The rules that the kernel has in the network namespace of a node. */
import type { NodeRules } from '../glass/index.ts';
import { runIn, spawnIn, ToolMissing } from '../net/netns/index.ts';

export async function readNodeRules(netns: string, signal: AbortSignal): Promise<NodeRules> {
  const nftables = JSON.parse(await runIn('nft', ['-j', 'list', 'ruleset'], { netns, signal })) as unknown;
  const saved = await Promise.all([
    save('iptables-legacy-save', netns, signal),
    save('ip6tables-legacy-save', netns, signal),
  ]);
  return {
    nftables,
    uplink: 'eth0',
    iptables: saved.flatMap((text, i) =>
      text === '' ? [] : [{ family: i === 0 ? ('ip' as const) : ('ip6' as const), text }],
    ),
  };
}

/** Empty where the program is missing or has nothing to tell. */
async function save(program: string, netns: string, signal: AbortSignal): Promise<string> {
  try {
    const { exitCode, stdout } = await spawnIn(program, [], { netns, signal });
    return exitCode === 0 ? stdout : '';
  } catch (error) {
    if (error instanceof ToolMissing) return '';
    throw error;
  }
}
