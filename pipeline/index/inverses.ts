import type { Editor } from '../model/save.ts'
import { Operation, type OperationOf, type Refusal } from '../model/submission.ts'
import type { RowChange } from './accounts/changed-rows.ts'
import type { Database } from './duckdb.ts'
import type { Entity } from './entries.ts'
import { entityOf, type Save } from './saves.ts'

/** What the way back is found by. */
export interface Known {
  index: Database
  changes: readonly RowChange[]
  /** Of the revision that takes a save back. */
  revision_id: string
  editor: Editor
}

type Row = RowChange['before'][number]
/** The fields of an operation, or why there is none. */
type Way = object | string
type Op = Operation['op']

/** The operation that takes this one back, or why there is none. */
export async function inverseOf(operation: Operation, known: Known): Promise<Operation | Refusal> {
  const find = ways[operation.op] as
    | ((operation: Operation, known: Known) => Way | Promise<Way>)
    | undefined
  const way = find
    ? await find(operation, known)
    : (lasting[operation.op] ?? 'that cannot be taken back')
  return typeof way === 'string' ? { refused: way } : Operation.parse(way)
}

const ways: { [Name in Op]?: (operation: OperationOf<Name>, known: Known) => Way | Promise<Way> } =
  {
    'brand.save': rollBack,
    'property.save': rollBack,
    'entry.rollback': rollBack,
    'organization.domain.add': ({ org, domain }, known) => {
      const row = rowBefore(known, 'verified_domains')
      return row
        ? { op: 'organization.domain.add', org, domain, proof: row.proof }
        : { op: 'organization.domain.remove', org, domain }
    },
    'organization.domain.remove': ({ org, domain }, known) => {
      const { proof } = rowBefore(known, 'verified_domains')!
      return { op: 'organization.domain.add', org, domain, proof }
    },
    'key.create': ({ key_id }) => ({ op: 'key.revoke', key_id }),
    'role.grant': operation => ({ ...operation, op: 'role.revoke' }),
    'role.revoke': operation => ({ ...operation, op: 'role.grant' }),
    'membership.set': membershipAsWas,
    'membership.remove': membershipAsWas,
    'member.update': ({ org }, known) => {
      const { slug, display_name, is_founding, is_public } = rowBefore(known, 'members')!
      return { op: 'member.update', org, slug, display_name, is_founding, is_public }
    },
    'member.tier': ({ org }, known) => {
      if (known.changes.some(({ table }) => table === 'member_agents')) {
        return 'it hid agents too: set the tier that is to stand, then show each agent again'
      }
      const { membership_tier: tier } = rowBefore(known, 'organizations')!
      return { op: 'member.tier', org, tier }
    },
    'member.agent.save': agentAsWas,
    'member.agent.remove': agentAsWas,
    'mirror.publish': mirrorAsWas,
    'mirror.remove': mirrorAsWas,
    'policy.publish': (_, known) => {
      const row = rowBefore(known, 'policies')
      return row?.review_status === 'approved' && row.source_type === 'registry'
        ? { op: 'policy.publish', policy: row.content }
        : 'the registry had no such policy before: publish what is to stand'
    },
    'policy.save': (_, known) => {
      const row = rowBefore(known, 'policies')
      const { editor, revision_id: review_id } = known
      return row?.review_status === 'approved'
        ? { op: 'policy.save', policy: row.content, editor, review_id }
        : 'it is the first version: decide its review'
    },
    'review.approve': approvalBack,
    'domain.takedown': ({ domain }) => ({ op: 'domain.readmit', domain }),
    'domain.readmit': ({ domain }, known) => {
      const { reason } = rowBefore(known, 'taken_down')!
      return { op: 'domain.takedown', domain, ...(reason !== null && { reason }) }
    },
  }

const MERGED = 'a merge is for ever: whoever knew the one rid was told the other'
const DECIDED = 'a decision stands: hand in, publish or remove what is to stand'

/** What stays, and what can be done instead. */
const lasting: { [Name in Op]?: string } = {
  'audit.revert': 'it was refused: there is nothing to take back',
  'organization.create': 'an organization stays: revoke its keys',
  'organization.found': 'an organization stays: revoke its keys',
  'key.revoke': 'a key that was revoked stays so: make another one',
  'ownership.issue': 'it ends by itself',
  'ownership.take': 'it was looked at already',
  'ownership.settle': 'what was shown was shown: take the domain from the organization',
  'member.create': 'a member stays one: take its tier and hide it',
  'member.billing': 'what stands is what the billing provider says',
  'issuer.set': 'what stands is what the identity provider says',
  'property.merge': MERGED,
  'collection.merge': MERGED,
  'property.contribute': 'identities that were given stay: dispute what is wrong',
  'dispute.file': 'decide its review',
  'brand.submit': 'decide its review',
  'logo.save': 'it is shown, or waits for a person: decide its review, or take the domain down',
  'origin.claim': 'it counts for nothing until the domain points here with it',
  'origin.verify': 'what the domain said was said: it is looked at again when somebody asks',
  'mirror.propose': 'decide its review',
  'review.reject': DECIDED,
  'held.release': 'what ended was told to all: the next crawl brings back what stands',
  'held.drop': 'the files are read again already',
  'domains.add':
    'the files are asked for already: take the domain down if nothing may be known of it',
  'crawl.request': 'the files are asked for already',
}

/** The row of a table as it stood, if there was one. */
function rowBefore({ changes }: Known, table: string): Row | undefined {
  return changes.find(one => one.table === table)?.before[0]
}

/** One that had ended is no way back. */
function membershipAsWas(
  { org, user_id }: OperationOf<'membership.set' | 'membership.remove'>,
  { changes }: Known,
): Way {
  const rows = changes.find(({ table }) => table === 'memberships')?.before ?? []
  const stood = rows.find(({ removed_at }) => removed_at === null)
  return stood
    ? { op: 'membership.set', org, user_id, role: stood.role }
    : { op: 'membership.remove', org, user_id }
}

function agentAsWas(
  { org, url }: OperationOf<'member.agent.save' | 'member.agent.remove'>,
  { changes }: Known,
): Way {
  const change = changes.find(({ table }) => table === 'member_agents')
  const [was, is] = [change?.before[0], change?.after[0]]
  if (was === undefined) return { op: 'member.agent.remove', org, url }
  const told = ['name', 'health_check_url'].filter(field => was[field] !== null)
  const isMore = ['name', 'health_check_url'].some(field => is?.[field] && was[field] === null)
  if (isMore) return 'it told something of the agent that cannot be untold: save what is to stand'
  const { type, visibility } = was
  const fields = Object.fromEntries(told.map(field => [field, was[field]]))
  return { op: 'member.agent.save', org, url, type, visibility, ...fields }
}

function mirrorAsWas({ platform }: { platform: string }, known: Known): Way {
  const row = rowBefore(known, 'mirrors')
  const { editor } = known
  return row && !row.removed
    ? { op: 'mirror.publish', platform, content: row.content, editor }
    : { op: 'mirror.remove', platform, force: true }
}

/** What an approval put in force goes, where that can go. */
function approvalBack(
  { review_id }: OperationOf<'review.approve'>,
  known: Known,
): Way | Promise<Way> {
  const { kind, subject } = rowBefore(known, 'reviews') ?? {}
  if (kind === 'mirror') return mirrorAsWas({ platform: String(subject) }, known)
  if (kind === 'brand') return revisionBack('brand', String(subject), review_id, known)
  return DECIDED
}

function rollBack(save: Save, known: Known): Promise<Way> {
  return revisionBack(entityOf(save), save.domain, save.revision_id, known)
}

/** The entry becomes again what it was before that revision; of a first one, nothing. */
async function revisionBack(
  entity: Entity,
  domain: string,
  of: string,
  { index, revision_id, editor }: Known,
): Promise<Way> {
  const made = await index.one<{ number: number; last: number }>(
    `select r.revision_number::double as number, e.revision_number::double as last
     from revisions r join entries e using (entity, domain)
     where r.revision_id::varchar = $of and entity = $entity and domain = $domain`,
    { of, entity, domain },
  )
  if (made === undefined) return `nothing is left of it: ${domain} was taken down since`
  const { number, last } = made
  if (last !== number) return `revision ${last} of ${domain} came after it: take that back first`
  const to_revision = number - 1
  return { op: 'entry.rollback', revision_id, domain, editor, entity, to_revision, moderates: true }
}
