import { createHash } from 'node:crypto'
import type { Domain } from '../../pipeline/core/domain.ts'
import { deriveId } from '../../pipeline/core/uuid-v7.ts'
import type { Operation, Submission } from '../../pipeline/model/submission.ts'

/** Builds the submission of a new organization. The same name gives the same ids, as in a second delivery. */
export function buildOrganizationWrite(name: string): Submission {
  return buildSubmission(name, { op: 'organization.create', org_id: deriveId('org', name), name })
}

export function buildKeyWrite(org: string, label: string): Submission {
  const hash = createHash('sha256').update(label).digest('hex')
  const operation = { op: 'key.create', key_id: deriveId('key', label), org, label, hash } as const
  return buildSubmission(label, operation)
}

/** Builds an operator's statement that a domain is an organization's. */
export function buildProofWrite(org: string, domain: string): Submission {
  const proven = { op: 'organization.domain.add', org, proof: 'operator' } as const
  return buildSubmission(`${org} ${domain}`, { ...proven, domain: domain as Domain })
}

const toEditor = (org: string) =>
  ({ kind: 'key', id: deriveId('key', org), org_id: deriveId('org', org) }) as const

/** Builds an organization's save of a brand. */
export function buildBrandSave(org: string, domain: string, brand_name: string): Submission {
  const revision_id = deriveId('revision', domain, brand_name)
  const save = { op: 'brand.save', revision_id, editor: toEditor(org), brand_name } as const
  return buildSubmission(`${domain} ${brand_name}`, { ...save, domain: domain as Domain })
}

/** Builds an organization's save of properties and a contact. */
export function buildPropertiesSave(
  org: string,
  domain: string,
  names: readonly string[],
): Submission {
  const revision_id = deriveId('revision', 'properties', domain, ...names)
  const properties = names.map(name => ({ type: 'website', name, identifiers: [], tags: [] }))
  const contact = { email: `${names.length}@${domain}` }
  const save = { op: 'property.save', revision_id, editor: toEditor(org), properties } as const
  return buildSubmission(revision_id, { ...save, domain: domain as Domain, contact })
}

export function buildSubmission(name: string, operation: Operation): Submission {
  return { submission_id: deriveId('submission', operation.op, name), operation }
}
