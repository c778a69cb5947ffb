import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '../../kernel/index.ts';
import { ReviewClient } from '../review-webhooks/index.ts';
import { startLoopbackServer, type LoopbackServer } from '../review-webhooks/testing/loopback-server.ts';
import { WebhookTokens } from './webhook-tokens.ts';

const logLines: string[] = [];
const ctx = createContext({ writeLog: (line) => void logLines.push(line) });
let server: LoopbackServer;
let client: ReviewClient;

beforeAll(async () => {
  server = await startLoopbackServer((_path, body) => {
    const { token } = (body as { spec: { token: string } }).spec;
    if (token === 'broken') return { status: 500, body: {} };
    if (token === 'bad') return { body: { status: { authenticated: false, error: 'no such token' } } };
    if (token === 'vault')
      return { body: { status: { authenticated: true, user: { username: 'v' }, audiences: ['vault'] } } };
    return {
      body: {
        status: { authenticated: true, user: { username: 'jane', uid: 'u', groups: ['dev'], extra: { k: ['v'] } } },
      },
    };
  });
  client = await ReviewClient.fromKubeconfig(ctx, server.kubeconfig, { attempts: 1 });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

describe('the token webhook', () => {
  it('identifies the user, and is called once for a burst', async () => {
    const tokens = new WebhookTokens(ctx, { client });
    const before = server.received.length;
    const answers = await Promise.all([1, 2, 3].map(() => tokens.authenticateToken('good', ['api'])));
    expect(answers[2]).toEqual({ user: { name: 'jane', uid: 'u', groups: ['dev'], extra: { k: ['v'] } } });
    await tokens.authenticateToken('good', ['api']);
    expect(server.received.length - before).toBe(1);
    expect(server.received.at(-1)).toEqual({
      path: '/review',
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        metadata: {},
        spec: { token: 'good', audiences: ['api'] },
      },
    });
  });

  it('refuses with its reason', async () => {
    await expect(new WebhookTokens(ctx, { client }).authenticateToken('bad', ['api'])).rejects.toThrow('no such token');
  });

  it('does not accept tokens for another audience', async () => {
    expect(await new WebhookTokens(ctx, { client }).authenticateToken('vault', ['api'])).toBeUndefined();
  });

  it('refuses tokens when the webhook fails, and never logs the token', async () => {
    await expect(new WebhookTokens(ctx, { client }).authenticateToken('broken', ['api'])).rejects.toThrow(
      'the webhook returned status 500',
    );
    expect(logLines.join('\n')).not.toContain('broken');
  });
});
