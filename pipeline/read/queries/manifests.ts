import { type Effect, getEffect, type Outcome } from '../../core/outcomes.ts'
import type { AdagentsDocument, BrandDocument } from '../../model/documents/index.ts'
import { type FileKind, parseSource, type Source, toUrl } from '../../model/observation.ts'
import type { ManifestReference, VerificationStatus } from '../../model/responses/manifests.ts'
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
 * Finds the manifest of a domain, by its file at the well-known place; undefined where there never was
 * such a file. A pointer refers to its target and has the target's state.
 */
export async function findManifestReference(
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
      reference_type: 'agent',
      manifest_url: null,
      agent_url: agent?.agent_url ?? null,
      agent_id: agent?.id ?? null,
      verification_status: getVerificationStatus(file),
    }
  }
  if (document === null || !('authoritative_location' in document)) {
    return toReference(file.resolved_url ?? toUrl(own), file)
  }
  const target = parseSource(kind, document.authoritative_location)
  return toReference(document.authoritative_location, target && (await read(target)))
}

/** Tells whether a file was ever read, or something else was served in its place. */
function isThere({ outcome, document }: File): boolean {
  if (document !== null) return true
  return outcome !== null && !['absent', 'unreachable'].includes(getEffect(outcome))
}

function toReference(manifest_url: string, file: File | undefined): ManifestReference {
  return {
    reference_type: 'url',
    manifest_url,
    agent_url: null,
    agent_id: null,
    verification_status: getVerificationStatus(file),
  }
}

function getVerificationStatus(file: File | undefined): VerificationStatus {
  const outcome = file?.outcome ?? null
  return outcome === null ? 'pending' : statuses[getEffect(outcome)]
}
