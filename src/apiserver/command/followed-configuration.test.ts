import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createContext, PrometheusRegistry, type Context } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import { followAuthentication, followAuthorization, FollowedTokens } from './followed-configuration.ts';

let directory = '';
let end = new AbortController();
let ctx: Context;
let log: string[] = [];
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-configuration-'));
  end = new AbortController();
  log = [];
  const metrics = new PrometheusRegistry();
  ctx = createContext({ signal: end.signal, metrics, writeLog: (line) => log.push(line) });
});
afterEach(() => {
  end.abort();
  fs.rmSync(directory, { recursive: true, force: true });
});

const write = (configuration: object): string => {
  const file = path.join(directory, 'config.yaml');
  // At once: half a file would be one more reload.
  fs.writeFileSync(`${file}.new`, JSON.stringify(configuration));
  fs.renameSync(`${file}.new`, file);
  return file;
};

const authorization = (...types: string[]) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthorizationConfiguration',
  authorizers: types.map((type) => ({ type, name: type.toLowerCase() })),
});

const authentication = (urls: readonly string[], enabled = true) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthenticationConfiguration',
  anonymous: { enabled },
  jwt: urls.map((url) => ({
    issuer: { url, audiences: ['a'] },
    claimMappings: { username: { claim: 'sub', prefix: '' } },
  })),
});

const reloads = (kind: string, status: string): string =>
  new RegExp(
    `apiserver_${kind}_config_controller_automatic_reloads_total\\{status="${status}",apiserver_id_hash="sha256:[0-9a-f]{64}"\\} (\\d+)`,
  ).exec(ctx.metrics.expose())?.[1] ?? '0';

describe('the authorization configuration', () => {
  it('changes the chain of authorizers', async () => {
    const followed = await followAuthorization(ctx, write(authorization('Node', 'RBAC')));
    const types = (): string[] => followed.value.map(({ type }) => type);
    expect(types()).toEqual(['Node', 'RBAC']);
    write(authorization('AlwaysAllow', 'RBAC'));
    await until('the new chain', () => types().join() === 'AlwaysAllow,RBAC');
    expect(reloads('authorization', 'success')).toBe('1');
    expect(ctx.metrics.expose().match(/last_config_info\{.*hash="sha256:[0-9a-f]{64}"\} 1/g)).toHaveLength(1);
  });

  it.each([
    ['is invalid', authorization('Magic'), 'Unsupported value'],
    ['needs what the server has not started with', authorization('Node'), 'authorizer type Node is not allowed'],
  ])('stays when the new one %s', async (_, changed, message) => {
    const followed = await followAuthorization(ctx, write(authorization('RBAC')));
    write(changed);
    await until('a failure', () => reloads('authorization', 'failure') === '1');
    expect(log.join('\n')).toContain(message);
    expect(followed.value).toEqual([{ type: 'RBAC' }]);
    // The file is read again, and nothing is said of what is known to be unusable.
    fs.utimesSync(path.join(directory, 'config.yaml'), new Date(), new Date());
    write(authorization('AlwaysDeny'));
    await until('the next chain', () => followed.value[0]?.type === 'AlwaysDeny');
    expect([reloads('authorization', 'failure'), reloads('authorization', 'success')]).toEqual(['1', '1']);
  });
});

describe('the authentication configuration', () => {
  it('changes the issuers', async () => {
    const followed = await followAuthentication(ctx, write(authentication(['https://a'])));
    const count = (): number => followed.value.tokenAuthenticators?.length ?? 0;
    expect(count()).toBe(1);
    write(authentication(['https://a', 'https://b']));
    await until('two issuers', () => count() === 2);
    expect(reloads('authentication', 'success')).toBe('1');
  });

  it('does not change who may be anonymous', async () => {
    const followed = await followAuthentication(ctx, write(authentication([])));
    write(authentication([], false));
    await until('a failure', () => reloads('authentication', 'failure') === '1');
    expect(log.join('\n')).toContain('anonymous: Forbidden: changed from initial configuration file');
    expect(followed.value.anonymous).toEqual({ enabled: true });
  });

  it('decides with the authenticators of now', async () => {
    const knows = (known: string) => ({
      name: known,
      authenticateToken: (token: string) => (token === known ? { user: { name: known, groups: [] } } : undefined),
    });
    let current = [knows('a')];
    const tokens = new FollowedTokens(() => current);
    const userOf = async (token: string) => (await tokens.authenticateToken(token, [], () => {}))?.user.name;
    expect([await userOf('a'), await userOf('b')]).toEqual(['a', undefined]);
    current = [knows('c'), knows('b')];
    expect([await userOf('a'), await userOf('b')]).toEqual([undefined, 'b']);
  });
});
