/** The OpenAPI documents of this server with those of the others in them. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../machinery/object.ts';
import type { OpenApiDocument, OpenApiDocuments } from '../../machinery/openapi/index.ts';
import { encodeGnosticDocument } from '../../machinery/openapi/gnostic.ts';
import { mergeOpenApiV2 } from './merge-openapi.ts';
import type { OtherServers } from './other-servers.ts';

export class MergedDocuments {
  #made = new Map<string, OpenApiDocument>();

  constructor(
    private readonly own: OpenApiDocuments,
    private readonly others: OtherServers | undefined,
  ) {}

  v2(): OpenApiDocument {
    return this.#othersV2().length === 0 ? this.own.v2() : this.#once('v2', () => Buffer.from(JSON.stringify(this.#merged())));
  }

  v2Protobuf(): OpenApiDocument {
    return this.#othersV2().length === 0 ? this.own.v2Protobuf() : this.#once('v2 protobuf', () => encodeGnosticDocument(this.#merged()));
  }

  v3Root(): OpenApiDocument {
    const others = this.others?.openapiV3() ?? new Map<string, string>();
    if (others.size === 0) return this.own.v3Root();
    return this.#once('v3', () => {
      const { paths } = JSON.parse(this.own.v3Root().bytes.toString('utf8')) as { paths: Record<string, unknown> };
      for (const [name, serverRelativeURL] of others) paths[name] = { serverRelativeURL };
      const sorted = Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1));
      return Buffer.from(JSON.stringify({ paths: Object.fromEntries(sorted) }));
    });
  }

  v3(name: string): OpenApiDocument | undefined {
    return this.own.v3(name);
  }

  #othersV2(): ReturnType<OtherServers['openapiV2']> {
    return this.others?.openapiV2() ?? [];
  }

  #merged(): JsonObject {
    return mergeOpenApiV2(JSON.parse(this.own.v2().bytes.toString('utf8')) as JsonObject, this.#othersV2());
  }

  #once(name: string, build: () => Buffer): OpenApiDocument {
    let document = this.#made.get(name);
    if (!document) {
      const bytes = build();
      this.#made.set(name, (document = { bytes, hash: createHash('sha512').update(bytes).digest('hex').toUpperCase() }));
    }
    return document;
  }
}
