/**
 * Objects as tables: the columns and cells that `kubectl get` shows. The columns of a built-in kind are declared with it
 * in `api/`; a file here makes the cells of a group, and `registry.ts` says which function makes which resource's.
 * Custom resources are shown by the columns of their definition (`custom-resource.ts`). Also the form of an object
 * that is its metadata alone.
 */
export {
  printTable,
  scalePrinter,
  tablePrinter,
  type Cell,
  type Table,
  type TableColumnDefinition,
  type TableOptions,
  type TablePrinter,
  type TableRow,
  type TableRowCondition,
} from './table.ts';
export {
  partialObjectMetadata,
  partialObjectMetadataList,
  type PartialObjectMetadata,
  type PartialObjectMetadataList,
} from './partial-object-metadata.ts';
export { customResourcePrinter, type AdditionalPrinterColumn } from './custom-resource.ts';
export { JsonPathError, parseJsonPath, type JsonPath } from './json-path.ts';
