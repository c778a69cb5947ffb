import { describe, expect, it } from 'vitest';
import { setFeatureGates as featureGates } from '../../machinery/index.ts';
import { apiServerHelp, parseApiServerFlags } from './index.ts';
import { securityFiles } from './options.ts';
import { servedVersions } from './served-versions.ts';

const parse = (...argv: string[]) => parseApiServerFlags(['--etcd-servers=http://a:1,http://b:2', ...argv]);

describe('kube-apiserver flags', () => {
  it('become files and settings, and other settings keep their default', () => {
    const { values, given } = parse(
      '--service-account-issuer=https://new',
      '--service-account-issuer=https://old',
      '--authorization-mode=Node,RBAC',
      '--oidc-issuer-url=https://i',
      '--oidc-client-id=c',
      '--oidc-required-claim=a=b',
      '--requestheader-allowed-names=',
    );
    expect(values['etcd-servers']).toEqual(['http://a:1', 'http://b:2']);
    const files = securityFiles(values, given);
    expect(files).toMatchObject({
      serviceAccountIssuers: ['https://new', 'https://old'],
      authorizationMode: ['Node', 'RBAC'],
      oidc: {
        issuerUrl: 'https://i',
        clientId: 'c',
        requiredClaims: { a: 'b' },
        usernameClaim: 'sub',
        signingAlgorithms: ['RS256'],
      },
      requestHeaders: { allowedNames: [] },
    });
    expect(files).not.toHaveProperty('anonymousAuth');
    expect(files).not.toHaveProperty('clientCaFile');
  });

  it('allow everything when no mode is named, as upstream', () => {
    const { values, given } = parse();
    expect(securityFiles(values, given).authorizationMode).toEqual(['AlwaysAllow']);
  });

  it.each([
    ['no store', () => parseApiServerFlags([]), '--etcd-servers must be specified'],
    [
      'half of OIDC',
      () => securityFiles(parse('--oidc-issuer-url=https://i').values, new Set()),
      '--oidc-issuer-url and --oidc-client-id must be specified together',
    ],
    [
      'a negative delay',
      () => parse('--shutdown-delay-duration=-1s'),
      '--shutdown-delay-duration can not be negative value',
    ],
    [
      'half of all requests',
      () => parse('--goaway-chance=0.5'),
      '--goaway-chance can not be less than 0 or greater than 0.02',
    ],
    [
      'an empty batch of audit events',
      () => parse('--audit-log-path=/log', '--audit-log-mode=batch', '--audit-log-batch-max-size=0'),
      'invalid audit batch log max batch size 0, must be a positive number',
    ],
    [
      'a batch of audit events that is smaller than an event',
      () => parse('--audit-webhook-config-file=/x', '--audit-webhook-truncate-max-batch-size=1'),
      'invalid audit truncate webhook max batch size 1, must be greater than max event size (102400)',
    ],
    ['a mode of auditing', () => parse('--audit-log-mode=sometimes'), 'blocking-strict'],
    [
      'ciphers without one for HTTP/2',
      () => parse('--tls-cipher-suites=TLS_RSA_WITH_AES_128_CBC_SHA'),
      'error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP/2-required',
    ],
    ['an unknown cipher', () => parse('--tls-cipher-suites=x'), "Cipher suite x not supported or doesn't exist"],
    ['an unknown curve', () => parse('--tls-curve-preferences=9999'), 'curve preference 9999 is not supported'],
    [
      'an unknown directive of HSTS',
      () => parse('--strict-transport-security-directives=max-age=1,other'),
      '--strict-transport-security-directives invalid',
    ],
    ['no chance', () => parse('--goaway-chance=-0.01'), '--goaway-chance can not be less than 0'],
    ['an empty origin', () => parse('--cors-allowed-origins=//a.b$,'), 'empty value in --cors-allowed-origins'],
    [
      'an origin without its start',
      () => parse('--cors-allowed-origins=example.com$'),
      '--cors-allowed-origins has an invalid regular expression: regular expression does not pin to start/end of host',
    ],
    ['an origin without its end', () => parse('--cors-allowed-origins=//example.com'), 'does not pin to start/end'],
    [
      'an origin that is no regular expression',
      () => parse('--cors-allowed-origins=^http://(a:'),
      'has an invalid regular expression: error parsing regexp: missing closing )',
    ],
    ['no port range', () => parse('--service-node-port-range=x'), '--service-node-port-range must be two ports'],
    [
      'a version that is not here',
      () => parse('--runtime-config=batch/v9=true'),
      'group version batch/v9 that has not been registered',
    ],
    ['everything off', () => parse('--runtime-config=api/all=false'), 'invalid runtime-config with only api/all=false'],
    ['no truth value', () => parse('--feature-gates=HPAScaleToZero=yes'), 'invalid value of HPAScaleToZero: yes'],
  ])('refuse %s', (_, act, message) => expect(act).toThrow(message));

  it('are described, and so are refused ones', () => {
    expect(apiServerHelp()).toContain('--service-cluster-ip-range string');
    expect(apiServerHelp()).toMatch(/refused, because[^]*--egress-selector-config-file/);
  });
});

describe('--runtime-config', () => {
  it('takes a version without a value', () => {
    expect(parse('--runtime-config=api/v1').values['runtime-config']).toEqual({ 'api/v1': '' });
  });

  it.each([
    ['nothing', {}, true, true],
    ['one version off', { 'autoscaling/v1': 'false' }, false, true],
    ['all of a stage off but one', { 'api/ga': 'false', 'autoscaling/v1': 'true' }, true, false],
  ])('%s', (_, config: Record<string, string>, autoscaling, batch) => {
    const serves = servedVersions(config) ?? (() => true);
    const versions = [serves('autoscaling', 'v1', 'horizontalpodautoscalers'), serves('batch', 'v1', 'jobs')];
    expect(versions).toEqual([autoscaling, batch]);
  });

  it('takes the core group by both of its names, and single resources', () => {
    expect(servedVersions({ 'api/v1': 'false' })!('', 'v1', 'pods')).toBe(false);
    expect(servedVersions({ v1: '' })!('', 'v1', 'pods')).toBe(true);
    const serves = servedVersions({ 'batch/v1/cronjobs': 'false', 'apps/v1': 'false', 'apps/v1/deployments': 'T' })!;
    expect([serves('batch', 'v1', 'cronjobs'), serves('batch', 'v1', 'jobs')]).toEqual([false, true]);
    expect([serves('apps', 'v1', 'deployments'), serves('apps', 'v1', 'daemonsets')]).toEqual([true, false]);
  });

  it.each([
    ['nogroup/v1', 'true', 'unknown api groups nogroup/v1'],
    ['apps/v1/Deployments', 'true', 'resource is always lowercase plural, not "Deployments"'],
    ['api/v1', 'nonsense', 'invalid value of /v1: nonsense, err: strconv.ParseBool: parsing "nonsense"'],
    ['a/b/c/d', 'true', 'runtime-config invalid key a/b/c/d'],
    ['api/beta', 'yes', 'invalid value api/beta=yes'],
    ['api/beta', '', 'invalid value api/beta='],
  ])('refuses %s=%s', (key, value, message) => {
    expect(() => servedVersions({ [key]: value })).toThrow(message);
  });
});

it.each(['v1.36.4', 'v1.36.4-build.7'])('reports the version %s', (version) => {
  expect(parse(`--version=${version}`).values.version).toBe(version);
});

it('stores as JSON when the media type is empty', () => {
  expect(parse('--storage-media-type=').values['storage-media-type']).toBe('');
  expect(() => parse('--storage-media-type=text/plain')).toThrow('it must be application/json or');
});

it('reports no other version', () => {
  expect(() => parse('--version=v1.37.0')).toThrow('must match major/minor/patch of default version "v1.36.4"');
});

it('accepts gates of the component by its name', () => {
  expect(featureGates({ 'kube:HPAScaleToZero': 'true' })).toEqual({ HPAScaleToZero: true });
});

it('takes all gates at once, but those that are given', () => {
  const gates = featureGates({ AllAlpha: 'true', AllBeta: 'true', ContainerStopSignals: 'false' });
  expect(gates).toMatchObject({ HPAScaleToZero: true });
  expect(gates).not.toHaveProperty('ContainerStopSignals');
});
