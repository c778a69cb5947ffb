/** A layer is damaged or malicious; its image is refused with this message. */
export class LayerError extends Error {
  override readonly name = 'LayerError';
  readonly code = 'invalid-layer';
}
