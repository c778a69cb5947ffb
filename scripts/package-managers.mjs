// How each package manager installs without asking, and without waiting for ever.
import fs from 'node:fs';

/**
 * @typedef {object} Step
 * @property {readonly string[]} args
 * @property {number} timeoutMs
 *
 * @typedef {object} Manager
 * @property {string} program
 * @property {string} verb As one types it.
 * @property {Readonly<Record<string, string>>} environment
 * @property {Step} [update] Learns which packages there are.
 * @property {(packages: readonly string[]) => Step[]} install Steps, each only after the one before: what can hang, the
 * network, comes first and alone, because it can be ended at any time. What changes the system can not.
 * @property {RegExp} notFound Finds the names of packages that there are not in what the manager writes.
 */

const MINUTE_MS = 60_000;
const NETWORK_SECONDS = 20;

const APT = [
  '-qq',
  '-o',
  `Acquire::http::Timeout=${NETWORK_SECONDS}`,
  '-o',
  `Acquire::https::Timeout=${NETWORK_SECONDS}`,
  '-o',
  'Acquire::Retries=1',
  '-o',
  'APT::Update::Error-Mode=any',
  '-o',
  'DPkg::Lock::Timeout=120',
  '-o',
  'Dpkg::Options::=--force-confold',
];

// Nothing that is there is removed in favour of what is new, and nothing comes along that nobody needs.
const APT_INSTALL = [...APT, 'install', '--yes', '--no-remove', '--no-install-recommends'];

const DNF = [
  '-q',
  '-y',
  `--setopt=timeout=${NETWORK_SECONDS}`,
  '--setopt=retries=2',
  '--setopt=install_weak_deps=False',
];

/** @type {Readonly<Record<import('./programs.mjs').PackageManager, Manager>>} */
export const MANAGERS = {
  apt: {
    program: 'apt-get',
    verb: 'install',
    environment: {
      DEBIAN_FRONTEND: 'noninteractive',
      DEBCONF_NONINTERACTIVE_SEEN: 'true',
      APT_LISTCHANGES_FRONTEND: 'none',
      NEEDRESTART_SUSPEND: '1',
    },
    update: { args: [...APT, 'update'], timeoutMs: 3 * MINUTE_MS },
    install: (packages) => [
      { args: [...APT_INSTALL, '--download-only', ...packages], timeoutMs: 10 * MINUTE_MS },
      { args: [...APT_INSTALL, '--no-download', ...packages], timeoutMs: 10 * MINUTE_MS },
    ],
    notFound: /Unable to locate package (\S+)|Package '?([^\s']+)'? has no installation candidate/g,
  },
  dnf: {
    program: 'dnf',
    verb: 'install',
    environment: {},
    install: (packages) => [
      { args: [...DNF, 'install', '--downloadonly', ...packages], timeoutMs: 10 * MINUTE_MS },
      { args: [...DNF, 'install', ...packages], timeoutMs: 10 * MINUTE_MS },
    ],
    notFound: /No match for argument: (\S+)/g,
  },
  apk: {
    program: 'apk',
    verb: 'add',
    environment: {},
    install: (packages) => [{ args: ['add', '--quiet', '--no-cache', ...packages], timeoutMs: 10 * MINUTE_MS }],
    notFound: /^\s*(\S+) \(no such package\)/gm,
  },
};

/** Services that Debian's packages start, at once and with the machine. The tests start their own. */
const SERVICES = new Map([
  ['etcd-server', 'etcd.service'],
  ['docker-registry', 'docker-registry.service'],
  ['containerd', 'containerd.service'],
]);

const POLICY = '/usr/sbin/policy-rc.d';
const POLICY_TEXT = '#!/bin/sh\n# k8ts installs programs, not services. It removes this file afterwards.\nexit 101\n';

/**
 * Runs an installation by apt that starts no service.
 * @template T
 * @param {() => T} install
 * @returns {T}
 */
export function withoutServices(install) {
  // What somebody else decided stays; what an earlier run left behind when it was killed goes.
  if (fs.existsSync(POLICY) && fs.readFileSync(POLICY, 'utf8') !== POLICY_TEXT) return install();
  fs.writeFileSync(POLICY, POLICY_TEXT, { mode: 0o755 });
  try {
    return install();
  } finally {
    fs.rmSync(POLICY, { force: true });
  }
}

/**
 * The services of packages that shall not start with the machine either.
 * @param {readonly string[]} packages
 */
export function servicesOf(packages) {
  return packages.flatMap((name) => SERVICES.get(name) ?? []);
}
