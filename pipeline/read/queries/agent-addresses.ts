import type { Snapshot } from '../reader.ts'

/** Agents that are looked at, the most relevant ones: some milliseconds at most. */
const AGENTS_SEARCHED_MAX = 100_000

/** Finds agents of the graph whose address contains a text, whatever its case; the most relevant first. */
export async function findAgentsByAddress(
  snapshot: Snapshot,
  text: string,
  limit: number,
): Promise<string[]> {
  const { urls } = await snapshot.agents
  const wanted = text.toLowerCase().replace(/^https?:\/\//, '')
  const found: string[] = []
  if (wanted === '') return found
  const last = Math.min(urls.length, AGENTS_SEARCHED_MAX)
  for (let at = 0; at < last && found.length < limit; at++) {
    const url = urls[at] ?? ''
    if (url.toLowerCase().includes(wanted)) found.push(url)
  }
  return found
}
