/** One run of the crawl bench: the domains with numbers from `first` to below `first + count`. */
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
