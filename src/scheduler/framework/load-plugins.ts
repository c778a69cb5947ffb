/**
 * Loads out-of-tree plugins from modules. A module exports `plugins`, an object of factories by name, as the registry
 * of the built-in plugins. A name that exists already is refused.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PluginFactory, PluginRegistry } from './build-profile.ts';

class PluginModuleError extends Error {
  readonly code = 'plugin-module';
}

export async function loadPluginModules(paths: readonly string[], known: PluginRegistry): Promise<PluginRegistry> {
  const registry: Record<string, PluginFactory> = { ...known };
  for (const file of paths) {
    const loaded = (await import(pathToFileURL(path.resolve(file)).href)) as { plugins?: unknown };
    if (typeof loaded.plugins !== 'object' || loaded.plugins === null)
      throw new PluginModuleError(`${file} does not export an object named plugins`);
    for (const [name, factory] of Object.entries(loaded.plugins)) {
      if (typeof factory !== 'function')
        throw new PluginModuleError(`${file}: plugin ${JSON.stringify(name)} is not a function`);
      if (Object.hasOwn(registry, name)) throw new PluginModuleError(`a plugin named ${name} already exists`);
      registry[name] = factory as PluginFactory;
    }
  }
  return registry;
}
