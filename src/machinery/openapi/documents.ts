/** The OpenAPI documents that a server serves: /openapi/v2 and /openapi/v3. */
import { createHash } from 'node:crypto';
import type { Resource } from '../../api/index.ts';
import { type JsonObject, type Steps } from '../../base/index.ts';
import { builtinApi, type BuiltinApi } from './builtin-part.ts';
import { customPart } from './custom-part.ts';
import type { CustomResourceApi } from './custom-resource.ts';
import { encodeGnosticDefinition, encodeGnosticPath, joinGnosticDocument } from './gnostic.ts';
import { joined, objectBytes, valueOf, type Member, type Part } from './part.ts';
import { HEAVY, weightOf } from './step-weights.ts';

/** A served document. Its bytes are joined when they are first read; the hash is known before. */
export interface OpenApiDocument {
  readonly bytes: Buffer;
  /** The value of `?hash=` and, quoted, of the ETag header. */
  readonly hash: string;
}

class JoinedDocument implements OpenApiDocument {
  #bytes: Buffer | undefined;

  readonly #join: () => Buffer;

  constructor(
    readonly hash: string,
    join: () => Buffer,
  ) {
    this.#join = join;
  }

  get bytes(): Buffer {
    return (this.#bytes ??= this.#join());
  }
}

/** Documents of version 3 without custom resources, by their part. All servers of a process share them. */
const builtinJoined = new WeakMap<Part, Map<string, OpenApiDocument>>();

interface OpenApiOptions {
  /** The version of the API: `1.36`. */
  readonly version: string;
  /** The built-in resources that are served; by default those of stable versions. */
  readonly builtin?: readonly Resource[];
  /** The custom resources that are served. */
  readonly custom?: readonly CustomResourceApi[];
}

const SECURITY_SCHEMES: JsonObject = {
  BearerToken: { description: 'Bearer Token authentication', in: 'header', name: 'authorization', type: 'apiKey' },
};
const BUILTIN_TITLE = 'Kubernetes';
const CUSTOM_INFO: JsonObject = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };

const documentName = ({ resource }: CustomResourceApi): string => `apis/${resource.group}/${resource.version}`;

/**
 * Makes every OpenAPI document of a server, in steps. Create a new instance when custom resources change: all
 * instances share the parts of the built-in kinds and of each custom resource.
 */
export class OpenApiDocuments {
  readonly #custom: readonly CustomResourceApi[];

  readonly #builtin: BuiltinApi;

  readonly #options: OpenApiOptions;

  constructor(options: OpenApiOptions) {
    this.#options = options;
    this.#builtin = builtinApi(options.builtin);
    this.#custom = options.custom ?? [];
  }

  /** /openapi/v2 as JSON, with the parts of aggregated API servers. */
  *v2(others: readonly Part[] = []): Steps<OpenApiDocument> {
    const parts = [...(yield* this.v2Parts()), ...others];
    return this.#document('v2', parts, () => {
      const head = JSON.stringify(this.#v2Head(parts)).slice(0, -1);
      const paths = objectBytes(joined(parts.map((part) => part.paths)), `${head},"paths":`, '');
      return Buffer.concat([
        ...paths,
        ...objectBytes(joined(parts.map((part) => part.definitions)), ',"definitions":', '}'),
      ]);
    });
  }

  /** /openapi/v2 as protobuf. */
  *v2Protobuf(others: readonly Part[] = []): Steps<OpenApiDocument> {
    const parts = [...(yield* this.v2Parts()), ...others];
    const paths: Buffer[] = [];
    const definitions: Buffer[] = [];
    for (const path of joined(parts.map((part) => part.paths))) paths.push(yield* encodedOnce(path, encodeGnosticPath));
    for (const definition of joined(parts.map((part) => part.definitions)))
      definitions.push(yield* encodedOnce(definition, encodeGnosticDefinition));
    yield HEAVY;
    return this.#document('v2 protobuf', parts, () => joinGnosticDocument(this.#v2Head(parts), paths, definitions));
  }

  /** /openapi/v3: the URLs of the documents. */
  *v3Root(): Steps<OpenApiDocument> {
    const paths: [string, JsonObject][] = [];
    for (const name of this.v3Names())
      paths.push([name, { serverRelativeURL: `/openapi/v3/${name}?hash=${(yield* this.v3(name))!.hash}` }]);
    const bytes = Buffer.from(JSON.stringify({ paths: Object.fromEntries(paths) }));
    return { bytes, hash: hashOf([bytes]) };
  }

  /** /openapi/v3/NAME: `api/v1`, `apis/apps/v1`, `apis/apps`, `version`; undefined if it is not served. */
  *v3(name: string): Steps<OpenApiDocument | undefined> {
    const builtin = yield* this.#builtin.v3(name);
    if (builtin) return this.#builtinDocument(name, builtin);
    const parts: Part[] = [];
    for (const api of this.#custom) if (documentName(api) === name) parts.push(yield* customPart(api, 'v3'));
    return parts.length === 0
      ? undefined
      : this.#document(`v3 ${name}`, parts, () => v3Document(CUSTOM_INFO, parts, {}));
  }

  #builtinDocument(name: string, part: Part): OpenApiDocument {
    const { version } = this.#options;
    const joinedOnes = builtinJoined.get(part) ?? new Map<string, OpenApiDocument>();
    builtinJoined.set(part, joinedOnes);
    let document = joinedOnes.get(version);
    if (!document)
      joinedOnes.set(
        version,
        (document = this.#document(`v3 ${name}`, [part], () =>
          v3Document({ title: BUILTIN_TITLE, version }, [part], { securitySchemes: SECURITY_SCHEMES }),
        )),
      );
    return document;
  }

  v3Names(): string[] {
    return [...new Set([...this.#builtin.documents.keys(), ...this.#custom.map(documentName)])].sort();
  }

  /** The parts of /openapi/v2: the built-in kinds, then the custom resources. */
  *v2Parts(): Steps<Part[]> {
    const parts = [yield* this.#builtin.v2()];
    for (const api of this.#custom) parts.push(yield* customPart(api, 'v2'));
    yield HEAVY;
    return parts;
  }

  #v2Head(parts: readonly Part[]): JsonObject {
    return {
      swagger: '2.0',
      info: { title: BUILTIN_TITLE, version: this.#options.version },
      parameters: Object.assign({}, ...parts.map((part) => part.parameters)) as JsonObject,
      securityDefinitions: SECURITY_SCHEMES,
      security: [{ BearerToken: [] }],
    };
  }

  /** The hash comes from the parts' digests, so a change is found without joining the document. */
  #document(name: string, parts: readonly Part[], join: () => Buffer): OpenApiDocument {
    return new JoinedDocument(hashOf([name, this.#options.version, ...parts.map(({ digest }) => digest).sort()]), join);
  }
}

function hashOf(content: readonly (string | Buffer)[]): string {
  const hash = createHash('sha512');
  for (const piece of content) hash.update(piece);
  return hash.digest('hex').toUpperCase();
}

const encodedMembers = new WeakMap<Member, Buffer>();

function* encodedOnce(one: Member, encode: (name: string, value: JsonObject) => Buffer): Steps<Buffer> {
  let bytes = encodedMembers.get(one);
  if (!bytes) {
    const value = valueOf(one);
    yield weightOf(one.bytes);
    encodedMembers.set(one, (bytes = encode(one.name, value)));
    yield weightOf(bytes);
  }
  return bytes;
}

/** `more` stands in `components`, beside the schemas. */
function v3Document(info: JsonObject, parts: readonly Part[], more: JsonObject): Buffer {
  const head = JSON.stringify({ openapi: '3.0.0', info }).slice(0, -1);
  const paths = objectBytes(joined(parts.map((part) => part.paths)), `${head},"paths":`, '');
  const schemas = joined(parts.map((part) => part.definitions));
  const before = ',"components":{';
  const after = `${JSON.stringify(more).slice(1)}}`;
  if (schemas.length === 0) return Buffer.concat([...paths, Buffer.from(`${before}${after}`)]);
  const separator = Object.keys(more).length > 0 ? ',' : '';
  return Buffer.concat([...paths, ...objectBytes(schemas, `${before}"schemas":`, `${separator}${after}`)]);
}
