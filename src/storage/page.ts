export interface Page {
  readonly offset: number
  readonly limit: number
}

/** `total` counts the rows of all pages. */
export interface Paged<T> {
  readonly rows: T[]
  readonly total: number
}
