/**
 * Tables: the columns and cells that `kubectl get` shows. The columns of a built-in kind are declared with it in `api/`. The
 * files here print the cells of a group, and `registry.ts` maps resources to printers. Custom resources are printed by the
 * additionalPrinterColumns of their definition (`custom-resource.ts`). Also PartialObjectMetadata, an object's metadata alone.
 */
export { customResourcePrinter } from './custom-resource.ts';
export { JsonPathError, parseJsonPath } from './json-path.ts';
export { partialObjectMetadataList } from './partial-object-metadata.ts';
export { printTable, scalePrinter, tablePrinter } from './table.ts';
export type { Cell, TablePrinter } from './table-printer.ts';
