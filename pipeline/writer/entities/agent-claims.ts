import type { AgentDocument } from '../../model/documents/index.ts'
import type { Invalidated } from '../../model/invalidated.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import type { Files } from '../derivation-files.ts'

interface Claim {
  agent_url: string
  publisher_domain: string
}

/** Keeps of which publishers agents say that they sell for them. */
export async function updateAgentClaims(
  db: Database,
  probed: readonly Invalidated[],
  files: Files,
  seq: number,
): Promise<void> {
  if (probed.length === 0) return
  await files.load(probed)
  const agents = { agents: JSON.stringify(probed.map(({ location }) => location)) }
  const ofThese = `agent_url in (select value from json_each($agents))`
  const before = await db.all<Claim>(`select * from agent_claims where ${ofThese}`, agents)
  const after = probed.flatMap(source => listClaims(source, files))
  const [was, is] = [new Set(before.map(toKey)), new Set(after.map(toKey))]
  const changed = [
    ...before.filter(claim => !is.has(toKey(claim))),
    ...after.filter(claim => !was.has(toKey(claim))),
  ]
  if (changed.length === 0) return
  await db.write('delete from', 'agent_claims', `where ${ofThese}`, agents)
  await db.insert('agent_claims', after)
  await recordChanges(db, seq, { claim: listDomains(changed) })
}

export function listDomains(claims: readonly Pick<Claim, 'publisher_domain'>[]): string[] {
  return [...new Set(claims.map(({ publisher_domain }) => publisher_domain))]
}

function toKey({ agent_url, publisher_domain }: Claim): string {
  return `${agent_url} ${publisher_domain}`
}

function listClaims(source: Invalidated, files: Files): Claim[] {
  const document = files.get(source).document as AgentDocument | undefined
  const named = [...(document?.claims ?? []), ...(document?.capabilities?.publisher_domains ?? [])]
  const { location: agent_url } = source
  const publishers = [...new Set(named)].filter(domain => !files.takenDown.covers(domain))
  return publishers.map(publisher_domain => ({ agent_url, publisher_domain }))
}
