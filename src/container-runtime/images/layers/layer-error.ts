/** A layer is broken or hostile; the image that has it is refused with this message. */
export class LayerError extends Error {
  override readonly name = 'LayerError';
  readonly code = 'invalid-layer';
}
