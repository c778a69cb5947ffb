/** The OpenAPI documents of this server, merged with those of the aggregated servers. */
import { createHash } from 'node:crypto';
import type { JsonObject, Steps } from '../../base/index.ts';
import {
  member,
  partOf,
  valueOf,
  type OpenApiDocument,
  type OpenApiDocuments,
  type Part,
} from '../../machinery/openapi/index.ts';
import type { AggregatedApis } from './aggregated-apis.ts';
import { mergeOpenApiV2 } from './merge-openapi.ts';

export class MergedDocuments {
  #othersPart: Part | undefined;
  readonly #own: OpenApiDocuments;
  readonly #others: AggregatedApis | undefined;

  constructor(own: OpenApiDocuments, others: AggregatedApis | undefined) {
    this.#own = own;
    this.#others = others;
  }

  *v2(): Steps<OpenApiDocument> {
    return yield* this.#own.v2(yield* this.#othersV2());
  }

  *v2Protobuf(): Steps<OpenApiDocument> {
    return yield* this.#own.v2Protobuf(yield* this.#othersV2());
  }

  *v3Root(): Steps<OpenApiDocument> {
    const own = yield* this.#own.v3Root();
    const others = this.#others?.openapiV3() ?? new Map<string, string>();
    if (others.size === 0) return own;
    const { paths } = JSON.parse(own.bytes.toString('utf8')) as { paths: Record<string, unknown> };
    for (const [name, serverRelativeURL] of others) paths[name] = { serverRelativeURL };
    const sorted = Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1));
    const bytes = Buffer.from(JSON.stringify({ paths: Object.fromEntries(sorted) }));
    return { bytes, hash: createHash('sha512').update(bytes).digest('hex').toUpperCase() };
  }

  v3(name: string): Steps<OpenApiDocument | undefined> {
    return this.#own.v3(name);
  }

  /** The part of the v2 document that comes from aggregated servers. */
  *#othersV2(): Steps<Part[]> {
    const documents = this.#others?.openapiV2() ?? [];
    if (documents.length === 0) return [];
    if (!this.#othersPart) {
      const own = yield* this.#own.v2Parts();
      const [paths, definitions] = [own.flatMap((part) => part.paths), own.flatMap((part) => part.definitions)].map(
        (members) => new Map(members.map((one) => [one.name, one])),
      );
      const definition = (name: string): JsonObject | undefined =>
        definitions!.has(name) ? valueOf(definitions!.get(name)!) : undefined;
      const merged = mergeOpenApiV2({ hasPath: (path) => paths!.has(path), definition }, documents);
      yield;
      const membersOf = (object: JsonObject): Part['paths'] =>
        Object.entries(object).map(([name, value]) => member(name, JSON.stringify(value)));
      this.#othersPart = partOf({
        paths: membersOf(merged.paths),
        definitions: membersOf(merged.definitions),
        parameters: {},
      });
    }
    return [this.#othersPart];
  }
}
