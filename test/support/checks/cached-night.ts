import { setTimeout as pause } from 'node:timers/promises'

const NIGHT_MS = 20_000
const READERS = 4

/** Brands that are renamed in a night, and the way to ask for them. */
interface Night {
  domains: readonly string[]
  ask(domain: string): Promise<{ cache: string | null; name: string | undefined }>
  rename(domain: string, turn: number): Promise<void>
  /** Tells whether an answer that was asked for then may have this name. */
  isRecent(domain: string, name: string | undefined, asked: number): boolean
}

/** Renames brands for twenty seconds while readers ask a cache for them; returns what they saw. */
export async function readOverNight({ domains, ask, rename, isRecent }: Night) {
  const end = performance.now() + NIGHT_MS
  const counts = { answers: 0, hits: 0 }
  const wrong: string[] = []
  const pick = (turn: number) => domains[turn % domains.length]!
  const read = async (reader: number) => {
    for (let turn = reader; performance.now() < end; turn += 1) {
      const domain = pick(turn)
      const asked = performance.now()
      const { cache, name } = await ask(domain)
      counts.answers += 1
      if (cache === 'hit') counts.hits += 1
      if (!isRecent(domain, name, asked)) wrong.push(`${domain} ${name}`)
      // The writer is in this process too.
      await pause(2)
    }
  }
  const change = async () => {
    for (let turn = 1; performance.now() < end; turn += 1) {
      await rename(pick(turn), turn)
      await pause(300)
    }
  }
  await Promise.all([change(), ...Array.from({ length: READERS }, (_, reader) => read(reader))])
  return { ...counts, wrong }
}
