import type { AgentTexts } from './agent-texts.ts'
import type { Postings } from './rank-postings.ts'

/** Dimensions by which agents can be filtered, in the order in which an answer names them. */
export const dimensions = [
  'channels',
  'property_types',
  'markets',
  'categories',
  'tags',
  'delivery_types',
  'format_kinds',
] as const
export type Dimension = (typeof dimensions)[number]

/**
 * The agents of the graph, prepared for search: by relevance, with their JSON as it is sent, and with lists
 * of the agents that have each value.
 */
export interface AgentIndex {
  /** Says which agents these are: equal where nothing about any has changed. */
  fingerprint: string
  urls: readonly string[]
  /** Relevance without a filter, never rising. */
  scores: Float64Array
  propertyCounts: Float64Array
  /** 1 for who has it. */
  hasTmp: Uint8Array
  texts: AgentTexts
  postings: Postings
}

/** Relevance of an agent by the logarithm of the number of its properties. */
export const REACH_WEIGHT = 0.1

/** Computes the relevance that an agent has at least when it reaches so many properties. */
export function computeReachScore(properties: number): number {
  // DuckDB computes the logarithm of a score: the last digits may differ.
  return REACH_WEIGHT * Math.log(properties + 1) - 1e-9
}

/** Formats a score twice over; the names of the filters that matched follow. */
export function formatScore(score: number): string {
  const text = String(score)
  return `,"relevance_score":${text},"match":{"score":${text},"matched_filters":`
}

/** Scores have twelve digits behind the point: sums keep the order and the ties of what is added. */
export function roundScore(score: number): number {
  return Math.round(score * 1e12) / 1e12
}
