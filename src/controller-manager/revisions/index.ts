/** The history of templates, as ControllerRevisions, that DaemonSets and StatefulSets roll back to. */
export { revisionData, sameData, templateOf } from './revision-data.ts';
export { RevisionHistory, type RevisionOwner } from './revision-history.ts';
