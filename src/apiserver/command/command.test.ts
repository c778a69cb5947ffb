import { describe, expect, it } from 'vitest';
import { featureGates } from './feature-gates.ts';
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
    ['no port range', () => parse('--service-node-port-range=x'), '--service-node-port-range must be two ports'],
    [
      'a version that is not here',
      () => parse('--runtime-config=batch/v9=true'),
      '--runtime-config: batch/v9 is not served by this version',
    ],
    [
      'everything off',
      () => parse('--runtime-config=api/all=false'),
      '--runtime-config: invalid key with only api/all=false',
    ],
    ['no truth value', () => parse('--feature-gates=HPAScaleToZero=yes'), 'invalid value of HPAScaleToZero: yes'],
  ])('refuse %s', (_, act, message) => expect(act).toThrow(message));

  it('are described, and so are refused ones', () => {
    expect(apiServerHelp()).toContain('--service-cluster-ip-range string');
    expect(apiServerHelp()).toMatch(/refused because[^]*--egress-selector-config-file/);
  });
});

describe('--runtime-config', () => {
  it.each([
    ['nothing', {}, true, true],
    ['one version off', { 'autoscaling/v1': 'false' }, false, true],
    ['all of a stage off but one', { 'api/ga': 'false', 'autoscaling/v1': 'true' }, true, false],
  ])('%s', (_, config: Record<string, string>, autoscaling, batch) => {
    const serves = servedVersions(config) ?? (() => true);
    expect([serves('autoscaling', 'v1'), serves('batch', 'v1')]).toEqual([autoscaling, batch]);
  });
});

it('accepts gates of the component by its name', () => {
  expect(featureGates({ 'kube:HPAScaleToZero': 'true' })).toEqual({ HPAScaleToZero: true });
});
