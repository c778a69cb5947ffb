import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createContext, type Context } from '../../../kernel/index.ts';
import { loadEncryption } from '../configuration.ts';
import { EncryptionAtRest } from '../encryption-at-rest.ts';
import { annotationsField, bytesField, readFields } from './messages.ts';

const PLACE = '/registry/secrets/default/s';
const VALUE = Buffer.from('{"kind":"Secret","data":{"p":"aHVudGVyMg=="}}');
const text = (number: number, value: string): Buffer => bytesField(number, Buffer.from(value));

let stopped: AbortController;
let ctx: Context;
let kms: FakeKms;
beforeEach(async () => {
  stopped = new AbortController();
  ctx = createContext({ signal: stopped.signal, writeLog: () => {} });
  kms = await FakeKms.start();
});
afterEach(async () => {
  stopped.abort();
  await kms.stop();
});

describe('a key management service', () => {
  it('is called once for many writes, and again by a server that has not seen the seed', async () => {
    const [transformer, close] = open();
    const stored = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => transformer.toStorage(VALUE, `${PLACE}-${name}`)),
    );
    expect(stored[0]!.toString('latin1')).toMatch(/^k8s:enc:kms:v2:mine:/);
    expect(stored[0]!.toString('latin1')).not.toContain('aHVudGVyMg');
    expect(transformer.fromStorage(stored[1]!, `${PLACE}-b`)).toEqual({ value: VALUE, stale: false });
    expect(kms.calls).toEqual({ Status: 1, Encrypt: 1, Decrypt: 0 });
    close();

    const [other, closeOther] = open();
    expect(() => other.fromStorage(stored[0]!, `${PLACE}-a`)).toThrow('has not decrypted the seed');
    await other.prepare(stored.map((value, i) => ({ key: `${PLACE}-${'abc'[i]}`, value })));
    expect(other.fromStorage(stored[0]!, `${PLACE}-a`).value).toEqual(VALUE);
    expect(other.prepare([{ key: `${PLACE}-a`, value: stored[0]! }])).toBeUndefined();
    expect(kms.calls.Decrypt).toBe(1);
    closeOther();
  });

  it('makes values of its old key stale when it rotates', async () => {
    const [transformer, close] = open();
    const stored = await transformer.toStorage(VALUE, PLACE);
    close();
    kms.keyId = 'key-2';
    const [later, closeLater] = open();
    await later.prepare([{ key: PLACE, value: stored }]);
    await later.toStorage(VALUE, PLACE);
    expect(later.fromStorage(stored, PLACE)).toEqual({ value: VALUE, stale: true });
    closeLater();
  });

  it('stops writes when it is unhealthy, and omits values that it cannot decrypt', async () => {
    const [transformer, close] = open();
    const stored = await transformer.toStorage(VALUE, PLACE);
    close();
    kms.healthy = false;
    const [later, closeLater] = open();
    await expect(later.toStorage(VALUE, PLACE)).rejects.toThrow('expected KMSv2 healthz status ok');
    await later.prepare([{ key: PLACE, value: stored }]);
    expect(() => later.fromStorage(stored, PLACE)).toThrow('has not decrypted the seed');
    closeLater();
  });
});

function open(): [EncryptionAtRest, () => void] {
  const providers = [
    { kms: { apiVersion: 'v2', name: 'mine', endpoint: `unix://${kms.socket}`, timeout: '2s' } },
    { identity: {} },
  ];
  const loaded = loadEncryption(
    ctx,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['secrets'], providers }],
    }),
  );
  return [new EncryptionAtRest(loaded.chainOf), () => loaded.kms.forEach((provider) => provider.close())];
}

/** A service that encrypts with a key of its own and insists on getting its annotations back. */
class FakeKms {
  readonly calls = { Status: 0, Encrypt: 0, Decrypt: 0 };
  keyId = 'key-1';
  healthy = true;
  #key = randomBytes(32);

  private constructor(
    readonly socket: string,
    private readonly server: Server,
  ) {}

  static async start(): Promise<FakeKms> {
    const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-kms-'));
    const server = new Server();
    const fake = new FakeKms(path.join(directory, 's'), server);
    const method = (name: keyof FakeKms['calls']) => ({
      path: `/v2.KeyManagementService/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes: Buffer) => bytes,
      requestDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
    });
    const handler =
      (name: keyof FakeKms['calls']) =>
      (call: { request: Buffer }, callback: (error: Error | null, answer?: Buffer) => void): void => {
        fake.calls[name]++;
        try {
          callback(null, fake.#answer(name, call.request));
        } catch (error) {
          callback(error as Error);
        }
      };
    server.addService({ Status: method('Status'), Encrypt: method('Encrypt'), Decrypt: method('Decrypt') }, {
      Status: handler('Status'),
      Encrypt: handler('Encrypt'),
      Decrypt: handler('Decrypt'),
    } as never);
    await new Promise<void>((resolve, reject) =>
      server.bindAsync(`unix:${fake.socket}`, ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      ),
    );
    return fake;
  }

  async stop(): Promise<void> {
    this.server.forceShutdown();
    await fs.rm(path.dirname(this.socket), { recursive: true });
  }

  #answer(name: string, request: Buffer): Buffer {
    if (name === 'Status')
      return Buffer.concat([text(1, 'v2'), text(2, this.healthy ? 'ok' : 'sick'), text(3, this.keyId)]);
    if (!this.healthy) throw new Error('sick');
    const fields = readFields(request);
    if (name === 'Encrypt') {
      const iv = randomBytes(16);
      const cipher = createCipheriv('aes-256-cbc', this.#key, iv);
      return Buffer.concat([
        bytesField(1, Buffer.concat([iv, cipher.update(fields.bytes(1)), cipher.final()])),
        text(2, this.keyId),
        annotationsField(3, { 'iv.kms.example': iv }),
      ]);
    }
    const sealed = fields.bytes(1);
    if (!fields.annotations(4)['iv.kms.example']?.equals(sealed.subarray(0, 16)))
      throw new Error('the annotations are lost');
    const decipher = createDecipheriv('aes-256-cbc', this.#key, sealed.subarray(0, 16));
    return bytesField(1, Buffer.concat([decipher.update(sealed.subarray(16)), decipher.final()]));
  }
}
