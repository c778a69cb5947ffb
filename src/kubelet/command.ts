/** The `kubelet` command: flags and configuration file, client and serving certificates, connection to the runtime. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import { compareText, errorMessage, formatDuration } from '../base/index.ts';
import { connect, loadKubeconfig, type ClientConfig } from '../client/index.ts';
import { connectToRuntime } from '../cri/index.ts';
import { flagsHelp, type FlagValues, parseFlags, UsageError } from '../flags/index.ts';
import { type Context, followFiles, RunGroup } from '../kernel/index.ts';
import { machineAddresses } from '../net/interfaces/index.ts';
import { checkCertificateAndKey } from '../net/tls/index.ts';
import { exportSpans, tracingOf } from '../otlp/index.ts';
import {
  bootstrapClientCertificate,
  clientCertificateFile,
  hasClientCertificate,
  renewableCredentials,
  rotateClientCertificate,
} from './certificates/client-certificate.ts';
import { storedSelfSignedCertificate } from './certificates/serving-certificate.ts';
import { CONFIGURATION_FLAGS, KUBELET_FLAGS } from './configuration/flags.ts';
import { DEFAULT_KUBELET_CONFIGURATION, type KubeletConfiguration } from './configuration/kubelet-configuration.ts';
import { loadKubeletConfiguration, mergeKubeletConfiguration } from './configuration/load-kubelet-configuration.ts';
import { validateKubeletConfiguration } from './configuration/validate-kubelet-configuration.ts';
import type { KubeletConfig, RunningKubelet } from './kubelet-options.ts';
import { run } from './run.ts';
import { clientCaFile } from './server/server-settings.ts';

const DEFAULT_ENDPOINT = 'unix:///run/k8ts/container-runtime.sock';

type Flags = FlagValues<typeof KUBELET_FLAGS>;

interface ParsedKubeletFlags {
  readonly values: Flags;
  readonly given: ReadonlySet<string>;
  readonly help: boolean;
  readonly warnings: readonly string[];
}

export const kubeletHelp = (): string =>
  flagsHelp(KUBELET_FLAGS, { usage: 'kubelet: runs the pods that are bound to this node' });

export const parseKubeletFlags = (argv: readonly string[]): ParsedKubeletFlags => parseFlags(argv, KUBELET_FLAGS);

export interface KubeletCommand {
  /** Graceful node shutdown: terminates pods as configured; resolves at once when it is not configured. */
  shutDown(): Promise<void>;
  readonly finished: Promise<void>;
}

export async function startKubeletCommand(
  ctx: Context,
  { values, given }: ParsedKubeletFlags,
): Promise<KubeletCommand> {
  const configuration = await configurationOf(values, given);
  const nodeName = (values['hostname-override'] || os.hostname()).trim().toLowerCase();
  const directory = values['cert-dir'];
  const clientConfig = await credentialsFor(ctx, values, nodeName);
  const renewable = renewableCredentials(clientConfig.credentials);
  const client = connect(
    ctx,
    { ...clientConfig, credentials: renewable.credentials },
    { userAgent: `kubelet/${KUBERNETES_VERSION} (linux/${process.arch === 'x64' ? 'amd64' : process.arch})` },
  );
  const runtime = connectToRuntime(
    configuration.containerRuntimeEndpoint || DEFAULT_ENDPOINT,
    configuration.imageServiceEndpoint || configuration.containerRuntimeEndpoint || DEFAULT_ENDPOINT,
  );
  const nodeAddresses = values['node-ip'] ? values['node-ip'].split(',') : ownAddresses();
  const config: KubeletConfig = {
    ...configuration,
    nodeName,
    rootDirectory: path.resolve(values['root-dir']),
    nodeAddresses,
    nodeLabels: values['node-labels'],
    cloudProvider: values['cloud-provider'],
    serving: await servingFiles(ctx, configuration, { values, names: [nodeName, ...nodeAddresses] }),
    certificateDirectory: directory,
    ...credentialProviders(values),
    containerGc: {
      minAgeMs: values['minimum-container-ttl-duration'],
      maxPerContainer: values['maximum-dead-containers-per-container'],
      maxContainers: values['maximum-dead-containers'],
    },
  };
  const group = new RunGroup({ signal: ctx.signal, logger: ctx.logger });
  let running: RunningKubelet | undefined;
  group.start('kubelet', (signal) =>
    run({ ...ctx, signal }, { client, runtime, config, onReady: (kubelet) => (running = kubelet) }),
  );
  startExporter(ctx, group, { configuration, nodeName });
  if (configuration.rotateCertificates && (await hasClientCertificate(directory, ctx.clock.now())))
    group.start('client certificate', (signal) =>
      rotateClientCertificate(
        { ...ctx, signal },
        { client, directory, nodeName, onRenewed: () => renewable.renewed() },
      ),
    );
  const untilEnded = async (): Promise<void> => {
    try {
      await group.wait();
    } finally {
      runtime.close();
      await client.close();
    }
  };
  const finished = untilEnded();
  return { shutDown: async () => running?.shutDown(), finished };
}

/** As `tracing` of the configuration asks for. The default is an object of its own: an empty one in a file counts. */
function startExporter(
  ctx: Context,
  group: RunGroup,
  { configuration, nodeName }: { configuration: KubeletConfiguration; nodeName: string },
): void {
  if (configuration.tracing === DEFAULT_KUBELET_CONFIGURATION.tracing) return;
  const resource = { 'service.name': 'kubelet', 'host.name': nodeName };
  group.start('span exporter', (signal) => exportSpans({ ...ctx, signal }, tracingOf(configuration.tracing), resource));
}

async function configurationOf(values: Flags, given: ReadonlySet<string>): Promise<KubeletConfiguration> {
  const file = values.config
    ? loadKubeletConfiguration(await fs.readFile(values.config, 'utf8'))
    : DEFAULT_KUBELET_CONFIGURATION;
  const base = values['config-dir'] ? await withDropIns(file, values['config-dir']) : file;
  const set: Record<string, unknown> = {};
  const all = values as unknown as Readonly<Record<string, unknown>>;
  for (const [flag, field] of Object.entries(CONFIGURATION_FLAGS)) if (given.has(flag)) set[field] = all[flag];
  if (given.has('manifest-url-header')) set['staticPodURLHeader'] = values['manifest-url-header'];
  if (given.has('reserved-memory')) set['reservedMemory'] = values['reserved-memory'].map(parseReservedMemory);
  if (given.has('register-with-taints')) set['registerWithTaints'] = values['register-with-taints'].map(parseTaint);
  const configuration: KubeletConfiguration = {
    ...base,
    ...set,
    authentication: authenticationOf(base.authentication, values),
    authorization: authorizationOf(base.authorization, values),
  };
  validateKubeletConfiguration(configuration);
  return configuration;
}

/** In the lexical order of their paths; other files than *.conf do not count. */
export async function withDropIns(base: KubeletConfiguration, directory: string): Promise<KubeletConfiguration> {
  const files = (await fs.readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.conf'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort(compareText);
  let configuration = base;
  for (const file of files) {
    try {
      configuration = mergeKubeletConfiguration(configuration, await fs.readFile(file, 'utf8'));
    } catch (error) {
      const why = `failed to load kubelet dropin file, path: ${file}, error: ${errorMessage(error)}`;
      throw new UsageError(`failed to walk through kubelet dropin directory "${directory}": ${why}`);
    }
  }
  return configuration;
}

function parseTaint(text: string): Record<string, unknown> {
  const match = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text);
  if (match === null) throw new UsageError(`invalid taint spec: ${text}`);
  return { key: match[1], effect: match[3], ...(match[2] === undefined ? {} : { value: match[2] }) };
}

/** `0:memory=1Gi,hugepages-2Mi=1Gi` */
function parseReservedMemory(text: string): Record<string, unknown> {
  const match = /^(\d+):(.+)$/.exec(text);
  const limits = (match?.[2] ?? '').split(',').map((part) => part.split('='));
  if (match === null || limits.some((pair) => pair.length !== 2 || pair.includes('')))
    throw new UsageError(`the format is incorrect, expected: <numa-node>:<memory-type>=<quantity>,..., got: ${text}`);
  return { numaNode: Number(match[1]), limits: Object.fromEntries(limits) as unknown };
}

type Section = Readonly<Record<string, unknown>>;
const part = (section: Section, name: string): Section => (section[name] ?? {}) as Section;

function authenticationOf(base: Section, values: Flags): Section {
  const ttl = values['authentication-token-webhook-cache-ttl'];
  return {
    ...base,
    anonymous: {
      ...part(base, 'anonymous'),
      ...(values['anonymous-auth'] === undefined ? {} : { enabled: values['anonymous-auth'] }),
    },
    webhook: {
      ...part(base, 'webhook'),
      ...(values['authentication-token-webhook'] === undefined
        ? {}
        : { enabled: values['authentication-token-webhook'] }),
      ...(ttl === undefined ? {} : { cacheTTL: formatDuration(ttl) }),
    },
    x509: {
      ...part(base, 'x509'),
      ...(values['client-ca-file'] === undefined ? {} : { clientCAFile: values['client-ca-file'] }),
    },
  };
}

function authorizationOf(base: Section, values: Flags): Section {
  const [yes, no] = [
    values['authorization-webhook-cache-authorized-ttl'],
    values['authorization-webhook-cache-unauthorized-ttl'],
  ];
  return {
    ...base,
    ...(values['authorization-mode'] === undefined ? {} : { mode: values['authorization-mode'] }),
    webhook: {
      ...part(base, 'webhook'),
      ...(yes === undefined ? {} : { cacheAuthorizedTTL: formatDuration(yes) }),
      ...(no === undefined ? {} : { cacheUnauthorizedTTL: formatDuration(no) }),
    },
  };
}

/**
 * TLS bootstrap: without a usable kubeconfig, requests a client certificate with the bootstrap credentials and writes
 * one.
 */
async function credentialsFor(ctx: Context, values: Flags, nodeName: string): Promise<ClientConfig> {
  const { kubeconfig } = values;
  const bootstrap = values['bootstrap-kubeconfig'];
  const directory = values['cert-dir'];
  const exists =
    kubeconfig !== undefined &&
    (await fs.access(kubeconfig).then(
      () => true,
      () => false,
    ));
  const isUsable =
    exists &&
    (bootstrap === undefined ||
      !(await fs.readFile(kubeconfig, 'utf8')).includes(clientCertificateFile(directory)) ||
      (await hasClientCertificate(directory, ctx.clock.now())));
  if (bootstrap !== undefined && !isUsable) {
    if (kubeconfig === undefined)
      throw new UsageError('--bootstrap-kubeconfig needs --kubeconfig, to which the new credentials are written');
    const config = await loadKubeconfig({ clock: ctx.clock, file: bootstrap });
    await bootstrapClientCertificate(ctx, { config, nodeName, directory, kubeconfig });
  }
  return loadKubeconfig({ clock: ctx.clock, ...(kubeconfig === undefined ? {} : { file: kubeconfig }) });
}

async function servingFiles(
  ctx: Context,
  configuration: KubeletConfiguration,
  { values, names }: { readonly values: Flags; readonly names: readonly string[] },
): Promise<NonNullable<KubeletConfig['serving']>> {
  const caFile = values['client-ca-file'] ?? clientCaFile(configuration);
  const { tlsCertFile, tlsPrivateKeyFile, serverTLSBootstrap } = configuration;
  const clientCa =
    caFile === undefined
      ? {}
      : { clientCa: await followFiles(ctx, { name: 'client-ca-bundle', files: [caFile], parse: ([ca = '']) => ca }) };
  if (tlsCertFile === '') {
    const own = serverTLSBootstrap ? {} : await storedSelfSignedCertificate(ctx, values['cert-dir'], names);
    return { ...own, followed: clientCa };
  }
  const certificate = await followFiles(ctx, {
    name: 'kubelet-server-cert-files',
    files: [tlsCertFile, tlsPrivateKeyFile || tlsCertFile],
    parse: ([text = '', privateKey = '']) => {
      checkCertificateAndKey({ certificate: text, key: privateKey });
      return { certificate: text, privateKey };
    },
  });
  return { ...certificate.value, followed: { certificate, ...clientCa } };
}

function credentialProviders(values: Flags): Pick<KubeletConfig, 'credentialProviders'> {
  const [config, binDirectory] = [
    values['image-credential-provider-config'],
    values['image-credential-provider-bin-dir'],
  ];
  if ((config === undefined) !== (binDirectory === undefined))
    throw new UsageError(
      '--image-credential-provider-config and --image-credential-provider-bin-dir must be given together',
    );
  return config === undefined || binDirectory === undefined ? {} : { credentialProviders: { config, binDirectory } };
}

function ownAddresses(): string[] {
  const found = machineAddresses();
  return found.length > 0 ? found : ['127.0.0.1'];
}
