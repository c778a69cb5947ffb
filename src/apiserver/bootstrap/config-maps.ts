/** The ConfigMaps in kube-system that the server writes for other components. */
import type { ConfigMap } from '../../api/generated/core-v1.ts';
import type { Stored } from './stored.ts';

/** The content of extension-apiserver-authentication: with it, aggregated servers authenticate proxied requests. */
export interface RequestAuthentication {
  readonly clientCA?: string;
  readonly requestHeader?: {
    readonly clientCA: string;
    /** Common names of the front proxy's certificate; empty allows any. */
    readonly allowedNames: readonly string[];
    readonly usernameHeaders: readonly string[];
    readonly groupHeaders: readonly string[];
    readonly extraHeadersPrefix: readonly string[];
  };
}

export function extensionAuthenticationConfigMap({
  clientCA,
  requestHeader,
}: RequestAuthentication): Stored<ConfigMap> {
  const data: Record<string, string> = {};
  if (clientCA !== undefined) data['client-ca-file'] = clientCA;
  if (requestHeader) {
    data['requestheader-allowed-names'] = JSON.stringify(requestHeader.allowedNames);
    data['requestheader-client-ca-file'] = requestHeader.clientCA;
    data['requestheader-extra-headers-prefix'] = JSON.stringify(requestHeader.extraHeadersPrefix);
    data['requestheader-group-headers'] = JSON.stringify(requestHeader.groupHeaders);
    data['requestheader-username-headers'] = JSON.stringify(requestHeader.usernameHeaders);
  }
  return configMap('extension-apiserver-authentication', data);
}

/** `since` is the day (`2026-01-31`) from which legacy tokens are tracked; the token cleaner needs it. */
export const legacyTokenTrackingConfigMap = (since: string): Stored<ConfigMap> =>
  configMap('kube-apiserver-legacy-service-account-token-tracking', { since });

const configMap = (name: string, data: Record<string, string>): Stored<ConfigMap> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'kube-system' },
  data,
});
