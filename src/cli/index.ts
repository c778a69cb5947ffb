/**
 * The command line: `k8ts COMMAND [flags]`. A file of this folder is a command; only the one that is called is loaded.
 */
interface Command {
  readonly summary: string;
  load(): Promise<{ run(argv: readonly string[]): Promise<number> }>;
}

const commands: Record<string, Command> = {
  up: { summary: 'Start a cluster', load: () => import('./up.ts') },
  etcd: { summary: 'Serve a store over etcd\'s v3 API; save and restore snapshots', load: () => import('./etcd.ts') },
  'kube-apiserver': { summary: 'Serve the Kubernetes API from an etcd, with upstream\'s flags', load: () => import('./kube-apiserver.ts') },
  'kube-controller-manager': { summary: 'Run the controllers, with upstream\'s flags', load: () => import('./kube-controller-manager.ts') },
  'kube-proxy': { summary: 'Send what is addressed to Services to their endpoints, with upstream\'s flags', load: () => import('./kube-proxy.ts') },
  reencrypt: { summary: 'Encrypt everything stored with the newest key', load: () => import('./reencrypt.ts') },
  version: { summary: 'Print the versions', load: () => import('./version.ts') },
};

async function main(argv: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = argv;
  if (name === 'help' || name === '--help' || name === '-h') return help();
  const command = commands[name];
  if (!command) {
    console.error(`k8ts: unknown command "${name}"; "k8ts help" lists them.`);
    return 2;
  }
  try {
    return await (await command.load()).run(rest);
  } catch (error) {
    console.error(`k8ts ${name}: ${error instanceof Error ? error.message : String(error)}`);
    if (process.env['K8TS_DEBUG']) console.error(error);
    return 1;
  }
}

function help(): number {
  console.log('k8ts: Kubernetes, whole, in one npm package.\n\nCommands:');
  for (const [name, { summary }] of Object.entries(commands)) console.log(`  ${name.padEnd(24)} ${summary}`);
  console.log('\n"k8ts COMMAND --help" tells a command\'s flags.');
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
