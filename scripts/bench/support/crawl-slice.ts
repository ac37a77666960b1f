/** A run of a crawl: domains by number, from `first` up to `first + count`. */
export interface Slice {
  first: number
  count: number
}

export interface SliceRun {
  fetches: number
  wallMs: number
  /** User and system time of the process. */
  cpuMs: number
  failed: number
}
