/** Reasons to crawl a file; the number is its priority among the files that are due, 0 first. */
export const reasons = {
  requested: 0,
  demanded: 1,
  hop: 1,
  saved: 1,
  given: 2,
  mentioned: 3,
} as const

export type Reason = keyof typeof reasons

export interface Newcomer {
  domain: string
  why: Reason
}
