// On Linux as root: installs the programs that a command needs and the machine lacks. It never fails the command:
// without the programs there are simulated nodes, and tests are skipped with the reason.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { MANAGERS, servicesOf, withoutServices } from './package-managers.mjs';
import { PROGRAMS } from './programs.mjs';
import { root } from './toolchain.mjs';

/**
 * What is known of the machine and done to it.
 * @typedef {object} Machine
 * @property {string} platform
 * @property {boolean} isRoot
 * @property {NodeJS.ProcessEnv} environment
 * @property {(file: string) => boolean} exists
 * @property {(directory: string) => readonly string[]} list
 * @property {(command: string, args: readonly string[], options: RunOptions) => RunResult} run
 * @property {<T>(install: () => T) => T} withoutServices
 * @property {FailureStore} failures
 * @property {(line: string) => void} say
 *
 * @typedef {{ environment: Readonly<Record<string, string>>, timeoutMs: number }} RunOptions
 * @typedef {{ ok: boolean, timedOut: boolean, output: string }} RunResult
 * @typedef {{ recent: () => readonly string[], add: (packages: readonly string[]) => void }} FailureStore
 * @typedef {import('./programs.mjs').Command} Command
 * @typedef {import('./programs.mjs').PackageManager} PackageManager
 */

/** @type {readonly Command[]} */
const COMMANDS = ['start', 'test', 'verify'];

/** Also where the PATH does not have them: no package may bring a second file of the name. */
const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * @param {Command} command
 * @param {Machine} [machine]
 */
export function ensurePrograms(command, machine = thisMachine()) {
  try {
    if (machine.platform === 'linux') installMissing(command, machine);
  } catch (error) {
    machine.say(`Packages were not installed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * @param {Command} command
 * @param {Machine} machine
 */
function installMissing(command, machine) {
  const missing = missingPrograms(command, machine);
  if (missing.length === 0) return;
  const manager = findManager(machine);
  const report = (/** @type {readonly string[]} */ programs, /** @type {string} */ reason) =>
    machine.say(`Missing for ${command === 'start' ? 'containers' : 'some tests'}: ${programs.join(', ')}. ${reason}`);
  if (manager === undefined) return report(missing, 'There is no apt-get, dnf or apk to install them with.');

  const { program, verb } = MANAGERS[manager];
  const packages = packagesOf(missing, manager);
  const byHand = `${program} ${verb} ${packages.join(' ')}`;
  if (isSet(machine.environment.K8TS_NO_INSTALL)) return report(missing, `K8TS_NO_INSTALL is set; by hand: ${byHand}`);
  if (!machine.isRoot) return report(missing, `Only root can install them: ${byHand}`);

  const inVain = machine.failures.recent();
  const wanted = packages.filter((name) => !inVain.includes(name));
  let problem = `${program} could not install them before and is asked again after a day.`;
  if (wanted.length > 0) {
    machine.say(`Installing with ${program} (K8TS_NO_INSTALL=1 prevents it): ${wanted.join(' ')}`);
    problem = install(manager, wanted, machine) ?? problem;
  }
  const stillMissing = missingPrograms(command, machine);
  if (stillMissing.length > 0) report(stillMissing, problem);
}

/**
 * The programs of the table that a command needs and the machine lacks.
 * @param {Command} command
 * @param {Pick<Machine, 'environment' | 'exists' | 'list'>} machine
 */
export function missingPrograms(command, machine) {
  const inPath = (machine.environment.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const folders = [...new Set([...inPath, ...FOLDERS])];
  const places = (/** @type {string} */ name) => folders.map((folder) => path.join(folder, name));
  return Object.entries(PROGRAMS)
    .filter(([, program]) => COMMANDS.indexOf(program.command) <= COMMANDS.indexOf(command))
    .filter(([name, { files = places(name) }]) => !files.some((file) => isThere(file, machine)))
    .map(([name]) => name);
}

/**
 * A file, or any of those that its one `*` stands for.
 * @param {string} file
 * @param {Pick<Machine, 'exists' | 'list'>} machine
 */
function isThere(file, machine) {
  const [before = '', after] = file.split('*');
  if (after === undefined) return machine.exists(file);
  const directory = path.dirname(before);
  return machine
    .list(directory)
    .some((name) => name.startsWith(path.basename(before)) && machine.exists(path.join(directory, `${name}${after}`)));
}

/**
 * @param {Machine} machine
 * @returns {PackageManager | undefined}
 */
function findManager(machine) {
  const names = /** @type {PackageManager[]} */ (Object.keys(MANAGERS));
  return names.find((name) => FOLDERS.some((folder) => machine.exists(path.join(folder, MANAGERS[name].program))));
}

/**
 * @param {readonly string[]} programs
 * @param {PackageManager} manager
 */
function packagesOf(programs, manager) {
  return [...new Set(programs.flatMap((name) => PROGRAMS[name]?.packages[manager]?.split(' ') ?? []))];
}

/**
 * All at once; without those that there are not; and if something else is wrong, each alone, so that one package that
 * cannot be had does not keep the others away.
 * @param {PackageManager} managerName
 * @param {readonly string[]} wanted
 * @param {Machine} machine
 * @returns {string | undefined} what went wrong
 */
function install(managerName, wanted, machine) {
  const manager = MANAGERS[managerName];
  const run = (/** @type {import('./package-managers.mjs').Step} */ { args, timeoutMs }) =>
    machine.run(manager.program, args, { environment: manager.environment, timeoutMs });
  const attempt = (/** @type {readonly string[]} */ packages) => {
    for (const step of manager.install(packages)) {
      const result = run(step);
      if (!result.ok) return result;
    }
    return undefined;
  };
  const everything = () => {
    const isUpdated = manager.update === undefined || run(manager.update).ok;
    let rest = wanted;
    let failed = attempt(rest);
    const unknown = failed === undefined ? [] : namesIn(failed.output, manager.notFound);
    if (unknown.length > 0) {
      // Who could not ask does not know what there is.
      if (isUpdated) machine.failures.add(unknown);
      rest = rest.filter((name) => !unknown.includes(name));
      const others = rest.length > 0 ? attempt(rest) : undefined;
      if (others === undefined) return describe(manager.program, failed);
      failed = others;
    }
    if (failed === undefined || failed.timedOut) return describe(manager.program, failed);
    for (const name of rest) {
      const alone = attempt([name]);
      if (alone === undefined) continue;
      failed = alone;
      if (alone.timedOut) break;
      if (isUpdated) machine.failures.add([name]);
    }
    return describe(manager.program, failed);
  };
  if (managerName !== 'apt') return everything();
  const problem = machine.withoutServices(everything);
  const services = servicesOf(wanted);
  if (services.length > 0 && machine.exists('/run/systemd/system')) {
    machine.run('systemctl', ['disable', ...services], { environment: {}, timeoutMs: 30_000 });
  }
  return problem;
}

/**
 * @param {string} output
 * @param {RegExp} pattern
 */
function namesIn(output, pattern) {
  return [...output.matchAll(pattern)].map(([, first, second]) => first ?? second ?? '');
}

/**
 * @param {string} program
 * @param {RunResult | undefined} failed
 */
function describe(program, failed) {
  if (failed === undefined) return undefined;
  if (failed.timedOut) return `${program} took too long.`;
  const lines = failed.output.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => /^(E:|Error|ERROR)/.test(line));
  return `${program}: ${(errors.length > 0 ? errors : lines).slice(-2).join('; ') || 'failed'}`;
}

/** @param {string | undefined} value */
function isSet(value) {
  return value !== undefined && value !== '' && value !== '0';
}

/**
 * Whether `k8ts up` with these flags runs containers, as far as that can be seen from them.
 * @param {readonly string[]} args
 */
export function startsContainers(args) {
  const valueOf = (/** @type {string} */ flag) => {
    const at = args.findLastIndex((argument) => argument === flag || argument.startsWith(`${flag}=`));
    return at < 0 ? undefined : args[at] === flag ? args[at + 1] : args[at]?.slice(flag.length + 1);
  };
  if (args.includes('--help') || args.includes('-h')) return false;
  const nodes = valueOf('--nodes');
  return nodes === undefined ? Number(valueOf('--simulated-nodes') ?? 0) === 0 : Number(nodes) !== 0;
}

/** @returns {Machine} */
export function thisMachine() {
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    environment: process.env,
    // A link that leads nowhere is in the way of a package as well.
    exists: (file) => unlessRefused(() => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined, false),
    list: (directory) => unlessRefused(() => fs.readdirSync(directory), []),
    run(command, args, { environment, timeoutMs }) {
      const { status, error, stdout, stderr } = spawnSync(command, args, {
        // Messages are read, and a question finds nobody.
        env: { ...process.env, LC_ALL: 'C', ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
        encoding: 'utf8',
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: 1 << 26,
      });
      const timedOut = error !== undefined && 'code' in error && error.code === 'ETIMEDOUT';
      return { ok: status === 0, timedOut, output: [stdout, stderr, error?.message].join('\n') };
    },
    withoutServices,
    failures: rememberedFailures(path.join(root, 'node_modules', '.cache', 'k8ts', 'missing-packages.json')),
    say: (line) => console.log(line),
  };
}

/**
 * @template T
 * @param {() => T} look
 * @param {T} otherwise
 */
function unlessRefused(look, otherwise) {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Packages that cannot be installed here: they are tried once a day, not at every start.
 * @param {string} file
 * @returns {FailureStore}
 */
export function rememberedFailures(file) {
  /** @returns {Record<string, number>} */
  const read = () => unlessRefused(() => JSON.parse(fs.readFileSync(file, 'utf8')), {});
  return {
    recent: () => Object.entries(read()).flatMap(([name, at]) => (Date.now() - at < DAY_MS ? [name] : [])),
    add(packages) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      const failed = Object.fromEntries(packages.map((name) => [name, Date.now()]));
      fs.writeFileSync(file, JSON.stringify({ ...read(), ...failed }));
    },
  };
}
