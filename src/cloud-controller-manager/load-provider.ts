/** Loads a cloud provider: a module whose default export creates it from the content of the `--cloud-config` file. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage } from '../base/index.ts';
import { UsageError } from '../flags/index.ts';
import type { CloudProvider } from './provider.ts';

type ProviderModule = { readonly default?: (config: string | undefined) => CloudProvider | Promise<CloudProvider> };

export async function loadProvider(module: string, config: string | undefined): Promise<CloudProvider> {
  const specifier =
    module.startsWith('.') || path.isAbsolute(module) ? pathToFileURL(path.resolve(module)).href : module;
  const loaded = (await import(specifier).catch((error: unknown) => {
    throw new UsageError(`the cloud provider ${module} cannot be loaded: ${errorMessage(error)}`);
  })) as ProviderModule;
  if (typeof loaded.default !== 'function')
    throw new UsageError(`the cloud provider ${module} has no default export that creates one`);
  const provider = await loaded.default(config);
  if (typeof provider?.name !== 'string') throw new UsageError(`the cloud provider ${module} has no name`);
  return provider;
}
