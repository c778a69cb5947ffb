/** `k8ts certs check|renew`: the certificates of a cluster, or of a machine that has joined one. */
import fs from 'node:fs';
import path from 'node:path';
import { nearest } from '../base/index.ts';
import {
  listCertificates,
  RENEWABLE,
  ROTATION_STEPS,
  type RenewableName,
  renewStopped,
  type CertificateStatus,
} from '../cluster/index.ts';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { createContext, RealClock } from '../kernel/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { print, table } from './output.ts';
import { readProcessFile } from './process-file.ts';
import { workWhileStopped } from './work-while-stopped.ts';

export const flags = {
  ...dataDirFlag,
  wait: { kind: 'duration', default: 180_000, summary: 'How long to wait for the cluster to be ready again' },
  force: { kind: 'switch', summary: 'Rotate the CAs although servers or machines have not followed the step before' },
  ...outputFlag,
} as const satisfies FlagTable;

export const verbs = ['check', 'renew', 'rotate-ca'] as const;

const USAGE = `k8ts certs: the certificates of a cluster; they are renewed by themselves before they expire

  k8ts certs check                when each expires; of a machine that has joined with its --data-dir
  k8ts certs renew all            renews them now, also while the cluster runs
  k8ts certs renew NAME...        ${RENEWABLE.join(', ')}
  k8ts certs rotate-ca STEP       exchanges the CAs: ${ROTATION_STEPS.join(', ')}, each on all servers before the next`;

type Parsed = ReturnType<typeof parse>;

const parse = (argv: readonly string[]) => parseFlags(argv, flags, { positional: true });

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parse(argv);
  const { values, positional, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const [verb = 'check', ...names] = positional;
  const directory = path.resolve(values['data-dir']);
  if (!fs.existsSync(path.join(directory, 'pki')))
    throw new CommandError(
      `there are no certificates in ${directory}; name the directory of a cluster with --data-dir`,
    );
  if (verb === 'check' && names.length === 0) {
    const now = new RealClock().now();
    const found = listCertificates(directory);
    print(
      values.output,
      found.map((one) => shown(one)),
      () => describe(found, now),
    );
    // For monitoring: what has expired is a failure.
    return found.some(({ expires }) => expires <= now) ? 1 : 0;
  }
  if (verb === 'rotate-ca') return rotate(parsed, names);
  if (verb !== 'renew') throw new UsageError(`unknown command "certs ${positional.join(' ')}"\n\n${USAGE}`);
  const wanted = chosen(names);
  const renewed = readProcessFile(directory)
    ? (await runningCluster(parsed).call<{ renewed: RenewableName[] }>('POST', '/certificates', { names: wanted }))
        .renewed
    : await renewStopped(createContext(), directory, wanted);
  const missing = wanted.filter((name) => !renewed.includes(name));
  if (names[0] !== 'all' && missing.length > 0)
    throw new CommandError(`the cluster has no ${missing.join(' and no ')}: it runs no etcd`);
  print(values.output, { renewed }, () => `renewed ${renewed.join(', ')}`);
  return 0;
}

async function rotate(parsed: Parsed, [step, ...rest]: readonly string[]): Promise<number> {
  if (step === undefined || rest.length > 0 || !(ROTATION_STEPS as readonly string[]).includes(step))
    throw new UsageError(`usage: k8ts certs rotate-ca ${ROTATION_STEPS.join('|')}`);
  const { values } = parsed;
  const done = await workWhileStopped(parsed, '/authorities', { step, force: values.force ?? false });
  print(values.output, { done }, () => done);
  return 0;
}

function chosen(names: readonly string[]): readonly RenewableName[] {
  if (names.length === 0) throw new UsageError('usage: k8ts certs renew all, or k8ts certs renew NAME...');
  if (names.length === 1 && names[0] === 'all') return RENEWABLE;
  const unknown = names.find((name) => !(RENEWABLE as readonly string[]).includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, RENEWABLE);
    throw new UsageError(
      `no certificate ${unknown} can be renewed; ${near ? `did you mean ${near}?` : `there are ${RENEWABLE.join(', ')}`}`,
    );
  }
  return names as RenewableName[];
}

const shown = ({ name, expires, authority }: CertificateStatus): object => ({
  name,
  expires: new Date(expires).toISOString(),
  ...(authority === undefined ? { isAuthority: true } : { authority }),
});

function describe(all: readonly CertificateStatus[], now: number): string {
  const row = ({ name, expires, authority }: CertificateStatus): string[] => [
    name,
    new Date(expires).toISOString(),
    residual(expires - now),
    ...(authority === undefined ? [] : [authority]),
  ];
  const [issued, authorities] = [all.filter((one) => one.authority), all.filter((one) => !one.authority)];
  return [
    table([['CERTIFICATE', 'EXPIRES', 'RESIDUAL TIME', 'AUTHORITY'], ...issued.map(row)]),
    ...(authorities.length > 0
      ? ['', table([['AUTHORITY', 'EXPIRES', 'RESIDUAL TIME'], ...authorities.map(row)])]
      : []),
  ].join('\n');
}

const HOUR_MS = 3600_000;

function residual(ms: number): string {
  if (ms <= 0) return 'expired';
  const hours = ms / HOUR_MS;
  if (hours < 48) return `${Math.floor(hours)}h`;
  const days = hours / 24;
  return days < 730 ? `${Math.floor(days)}d` : `${Math.floor(days / 365)}y`;
}
