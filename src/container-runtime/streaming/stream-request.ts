/** A request for a stream, as CRI's Exec, Attach and PortForward got it. */
import type { AttachRequest, ExecRequest, PortForwardRequest } from '../../cri/index.ts';

export type StreamRequest =
  | { readonly kind: 'exec'; readonly request: ExecRequest }
  | { readonly kind: 'attach'; readonly request: AttachRequest }
  | { readonly kind: 'portforward'; readonly request: PortForwardRequest };
