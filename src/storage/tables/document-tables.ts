export type DocumentKind =
  | 'alert-channel'
  | 'dashboard'
  | 'dashboard-incident'
  | 'maintenance-window'
  | 'snippet'
  | 'status-page'
  | 'status-page-incident'
  | 'status-page-service'
  | 'status-page-subscription'

/** Resources that are read and written whole. */
export interface DocumentTables {
  /** Resources that are read and written whole, and that no query joins (storage/documents). */
  documents: {
    kind: DocumentKind
    id: string
    accountId: string
    /** The document that it belongs to and is deleted with. */
    parentId: string | null
    /** JSON. */
    definition: string
    createdAt: number
    updatedAt: number | null
  }
  /** Texts by which a document is found, each of one document of its kind. */
  documentKeys: { kind: DocumentKind; key: string; documentId: string }
  /** Which documents name which others, for those who look from the other end (storage/document-links). */
  documentLinks: { kind: DocumentKind; documentId: string; targetId: string }
  /** The last number given out, for ids that are numbers. */
  counters: { name: string; last: number }
}
