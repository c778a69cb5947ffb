/** The gRPC client of a KMS v2 plugin (`v2.KeyManagementService`) on a Unix socket. */
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { Context } from '../../../kernel/index.ts';
import {
  decodeDecryptResponse,
  decodeEncryptResponse,
  decodeStatusResponse,
  encodeDecryptRequest,
  encodeEncryptRequest,
  type Annotations,
} from './messages.ts';

const SERVICE = '/v2.KeyManagementService/';
const identity = (bytes: Buffer): Buffer => bytes;

export class KmsClient {
  #client: Client;
  readonly #ctx: Context;
  readonly #timeoutMs: number;

  constructor(ctx: Context, endpoint: string, timeoutMs: number) {
    this.#ctx = ctx;
    this.#timeoutMs = timeoutMs;
    // `unix:///@name` is a Linux abstract socket.
    const address = endpoint.startsWith('unix:///@')
      ? `unix-abstract:${endpoint.slice('unix:///@'.length)}`
      : `unix:${endpoint.slice('unix://'.length)}`;
    this.#client = new Client(address, credentials.createInsecure());
  }

  status = async (): Promise<ReturnType<typeof decodeStatusResponse>> =>
    decodeStatusResponse(await this.#call('Status', Buffer.alloc(0)));

  encrypt = async (plaintext: Buffer): Promise<ReturnType<typeof decodeEncryptResponse>> =>
    decodeEncryptResponse(await this.#call('Encrypt', encodeEncryptRequest(plaintext, this.#ctx.random.uid())));

  decrypt = async (ciphertext: Buffer, keyId: string, annotations: Annotations): Promise<Buffer> =>
    decodeDecryptResponse(
      await this.#call('Decrypt', encodeDecryptRequest(ciphertext, this.#ctx.random.uid(), keyId, annotations)),
    ).plaintext;

  close(): void {
    this.#client.close();
  }

  #call(method: string, request: Buffer): Promise<Buffer> {
    const deadline = this.#ctx.clock.now() + this.#timeoutMs;
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        SERVICE + method,
        identity,
        identity,
        request,
        new Metadata(),
        { deadline },
        (error, response) => {
          if (error) reject(new Error(`the KMS failed in ${method}: ${error.details}`));
          else resolve(response ?? Buffer.alloc(0));
        },
      );
    });
  }
}
