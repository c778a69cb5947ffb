/**
 * Command-line flags as the Kubernetes components have them: a component declares its flags in one table (`FlagTable`),
 * `parseFlags` reads a command line by it, `readConfigFile` a
 * configuration file, and `flagsHelp` and `flagsReference` write the help and the documentation from it. Flags of features that are missing
 * are in the table too, and fail by name; unknown flags fail with a suggestion.
 */
export { UsageError, type FlagDeclaration, type FlagTable, type FlagValues } from './flag-table.ts';
export { parseFlags, type ParsedFlags } from './parse-flags.ts';
export { flagsHelp } from './flags-help.ts';
export { flagTexts } from './flag-texts.ts';
export { flagsReference } from './flags-reference.ts';
export { readConfigFile, type ConfigFile } from './config-file.ts';
export { effectiveValues, formatConfig } from './format-config.ts';
export { parseNamedCertificate } from './named-certificates.ts';
export { clientFlags, leaderElectionFlags, loggingFlags, contextOptions, processFlags } from './component-flags.ts';
