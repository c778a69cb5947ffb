/** TLS certificates by host (SNI), from the Secrets in the `tls` sections of Ingresses. */
import tls from 'node:tls';
import type { Secret } from '../api/generated/core-v1.ts';
import type { Ingress } from '../api/generated/networking-v1.ts';
import { ownValue } from '../base/index.ts';

interface Entry {
  readonly version: string;
  readonly context: tls.SecureContext;
}

export class Certificates {
  #byHost = new Map<string, Entry>();

  /** Missing and invalid Secrets are reported with `warn` and skipped. */
  update(
    ingresses: readonly Ingress[],
    secretOf: (key: string) => Secret | undefined,
    warn: (message: string, secret: string) => void,
  ): void {
    const next = new Map<string, Entry>();
    for (const { metadata, spec } of ingresses) {
      for (const { hosts = [], secretName } of spec?.tls ?? []) {
        if (!secretName) continue;
        const key = `${metadata.namespace}/${secretName}`;
        const secret = secretOf(key);
        const names = hosts.length > 0 ? hosts : [''];
        const version = `${secret?.metadata.uid} ${secret?.metadata.resourceVersion}`;
        const known = names
          .map((name) => this.#byHost.get(name.toLowerCase()))
          .find((each) => each?.version === version);
        const context = known?.context ?? contextOf(secret, (message) => warn(message, key));
        if (context)
          for (const name of names)
            if (!next.has(name.toLowerCase())) next.set(name.toLowerCase(), { version, context });
      }
    }
    this.#byHost = next;
  }

  find(name: string): tls.SecureContext | undefined {
    const host = name.toLowerCase();
    return (this.#byHost.get(host) ?? this.#byHost.get(`*${host.slice(host.indexOf('.'))}`) ?? this.#byHost.get(''))
      ?.context;
  }
}

function contextOf(secret: Secret | undefined, warn: (message: string) => void): tls.SecureContext | undefined {
  const [cert, key] = ['tls.crt', 'tls.key'].map((name) => ownValue(secret?.data, name));
  if (!cert || !key) {
    warn(secret ? 'the Secret has no tls.crt or tls.key' : 'there is no such Secret');
    return undefined;
  }
  try {
    return tls.createSecureContext({
      cert: Buffer.from(cert, 'base64'),
      key: Buffer.from(key, 'base64'),
      minVersion: 'TLSv1.2',
    });
  } catch {
    // The error is not logged, because its message could quote the key.
    warn('its certificate and key cannot be used');
    return undefined;
  }
}
