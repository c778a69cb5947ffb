/** Parses and validates manifests, indexes and configs, which are untrusted input. */
import { isDigest } from '../digest.ts';
import { ImageError } from '../image-error.ts';
import { INDEX_TYPES, isLayerType, MANIFEST_TYPES, SCHEMA_1_TYPES } from './media-types.ts';
import type { Descriptor, ImageConfig, ImageIndex, Manifest } from './oci-types.ts';

/** Documents are read into memory; real ones have a few kilobytes. */
export const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
const MAX_LAYERS = 500;

type ManifestOrIndex = { readonly manifest: Manifest } | { readonly index: ImageIndex };

/** `mediaType` comes from the registry or a descriptor; the document's own mediaType has precedence. */
export function parseManifestOrIndex(bytes: Uint8Array, mediaType = ''): ManifestOrIndex {
  const document = parseObject(bytes, 'manifest');
  const declaredType =
    typeof document.mediaType === 'string' ? document.mediaType : (mediaType.split(';', 1)[0]?.trim() ?? '');
  if (document.schemaVersion === 1 || contains(SCHEMA_1_TYPES, declaredType)) {
    throw new ImageError(
      'UNIMPLEMENTED',
      'the image has a manifest of schema version 1, which is not supported: push it again with a current tool',
    );
  }
  const hasManifests = Array.isArray(document.manifests);
  const hasLayers = Array.isArray(document.layers);
  // Different tools would see different images in a document that is both.
  if (hasManifests && (hasLayers || document.config !== undefined))
    throw invalid('the manifest is an index and an image at once');
  if (contains(INDEX_TYPES, declaredType) || (declaredType === '' && hasManifests)) {
    return {
      index: { schemaVersion: 2, manifests: listOf(document.manifests, 'manifests').map((item) => descriptor(item)) },
    };
  }
  if (!contains(MANIFEST_TYPES, declaredType) && declaredType !== '' && !hasLayers) {
    throw new ImageError(
      'UNIMPLEMENTED',
      `the image has a manifest of the unsupported type ${JSON.stringify(declaredType)}`,
    );
  }
  const layers = listOf(document.layers, 'layers').map((item) => descriptor(item));
  if (layers.length > MAX_LAYERS)
    throw invalid(`the manifest has ${layers.length} layers; at most ${MAX_LAYERS} can be stacked`);
  const foreign = layers.find((layer) => !isLayerType(layer.mediaType));
  if (foreign !== undefined)
    throw new ImageError(
      'UNIMPLEMENTED',
      `the image has a layer of the unsupported type ${JSON.stringify(foreign.mediaType)}`,
    );
  return { manifest: { schemaVersion: 2, config: descriptor(document.config), layers } };
}

export function parseConfig(bytes: Uint8Array): ImageConfig {
  const document = parseObject(bytes, 'config');
  const rootfs = isObject(document.rootfs) ? document.rootfs : undefined;
  const diffIds = listOf(rootfs?.diff_ids ?? [], 'rootfs.diff_ids');
  if (!diffIds.every((id): id is string => typeof id === 'string' && isDigest(id)))
    throw invalid("the config's diff ids are not digests");
  const { config } = document;
  if (config !== undefined && config !== null && !isObject(config))
    throw invalid("the config's config is not an object");
  return {
    ...document,
    config: checkProcess(config ?? {}),
    rootfs: { type: 'layers', diff_ids: diffIds },
  } as ImageConfig;
}

function checkProcess(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const field of ['Env', 'Entrypoint', 'Cmd']) {
    const value = config[field];
    const fine =
      value === undefined ||
      value === null ||
      (Array.isArray(value) && value.every((item) => typeof item === 'string'));
    if (!fine) throw invalid(`the config's ${field} is not a list of strings`);
  }
  for (const field of ['User', 'WorkingDir', 'StopSignal']) {
    const value = config[field];
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw invalid(`the config's ${field} is not a string`);
  }
  return config;
}

function descriptor(value: unknown): Descriptor {
  if (!isObject(value)) throw invalid('the manifest has a descriptor that is not an object');
  const { mediaType, digest, size } = value;
  if (typeof digest !== 'string' || !isDigest(digest))
    throw invalid('the manifest has a descriptor without a valid digest');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    throw invalid(`the size of ${digest} is out of range`);
  return { ...value, digest, size, mediaType: typeof mediaType === 'string' ? mediaType : '' };
}

function parseObject(bytes: Uint8Array, what: string): Readonly<Record<string, unknown>> {
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw invalid(`the ${what} is not JSON`, error);
  }
  if (!isObject(document)) throw invalid(`the ${what} is not an object`);
  return document;
}

function listOf(value: unknown, field: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(`the image's ${field} is not a list`);
  return value;
}

function contains(list: readonly string[], item: string): boolean {
  return list.includes(item);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string, cause?: unknown): ImageError {
  return new ImageError('FAILED_PRECONDITION', message, { cause });
}
