import { type Effect, effectOf, type Outcome } from '../../core/outcomes.ts'
import type { ManifestReference, VerificationStatus } from '../../model/answers-manifests.ts'
import type { AdagentsDocument, BrandDocument } from '../../model/documents.ts'
import { type FileKind, type Source, sourceAt, urlOf } from '../../model/observation.ts'
import type { Snapshot } from '../reader.ts'

interface File {
  outcome: Outcome | null
  resolved_url: string | null
  document: BrandDocument | AdagentsDocument | null
}

const FILE = `
select s.outcome, d.resolved_url, d.document from crawl_state s
left join documents d on d.kind = s.kind and d.location = s.location
where s.kind = $kind and s.location = $location`

const statuses: Record<Effect, VerificationStatus> = {
  success: 'valid',
  absent: 'unreachable',
  unusable: 'invalid',
  garbled: 'invalid',
  unreachable: 'unreachable',
}

/**
 * Where the manifest of a domain is, as its file at the well-known place says; undefined where there
 * never was such a file. A pointer refers to the file it leads to, and stands as that one does.
 */
export async function manifestReference(
  { db }: Pick<Snapshot, 'db'>,
  kind: FileKind,
  domain: string,
): Promise<ManifestReference | undefined> {
  const read = ({ kind, location }: Source) => db.one<File>(FILE, { kind, location })
  const own = { kind, location: domain }
  const file = await read(own)
  if (file === undefined || !isThere(file)) return undefined
  const { document } = file
  if (document?.variant === 'brand_agent') {
    const [agent] = document.agents
    return {
      ...{ reference_type: 'agent', manifest_url: null },
      ...{ agent_url: agent?.agent_url ?? null, agent_id: agent?.id ?? null },
      verification_status: statusOf(file),
    }
  }
  if (document === null || !('authoritative_location' in document)) {
    return referenceTo(file.resolved_url ?? urlOf(own), file)
  }
  const target = sourceAt(kind, document.authoritative_location)
  return referenceTo(document.authoritative_location, target && (await read(target)))
}

/** It was read once, or something was there that is no such file. */
function isThere({ outcome, document }: File): boolean {
  if (document !== null) return true
  return outcome !== null && !['absent', 'unreachable'].includes(effectOf(outcome))
}

function referenceTo(manifest_url: string, file: File | undefined): ManifestReference {
  return {
    ...{ reference_type: 'url', manifest_url, agent_url: null, agent_id: null },
    verification_status: statusOf(file),
  }
}

function statusOf(file: File | undefined): VerificationStatus {
  const outcome = file?.outcome ?? null
  return outcome === null ? 'pending' : statuses[effectOf(outcome)]
}
