import type { Operation, OperationOf, Refusal, Submission } from '../../model/submission.ts'
import type { TakenDown } from './takedown-list.ts'

/** Fields of operations that hold a domain, a URL, or something that names one. */
type PlaceField =
  | 'agent_url'
  | 'agent_urls'
  | 'agents'
  | 'content'
  | 'contributed'
  | 'domain'
  | 'domains'
  | 'email_domain'
  | 'founding'
  | 'health_check_url'
  | 'subject'
  | 'subject_value'
  | 'url'

type OperationWithPlace = {
  [Op in Operation['op']]: keyof OperationOf<Op> & PlaceField extends never ? never : Op
}[Operation['op']]

type Finder<Op extends Operation['op']> = (
  operation: OperationOf<Op>,
  takenDown: TakenDown,
) => string | undefined

/** Accepts what ends something, or has no effect on rows that are deleted. */
const accepted = () => undefined
const ofDomain = ({ domain }: { domain: string }, takenDown: TakenDown) => takenDown.find(domain)
const ofAgent = ({ agent_url }: { agent_url: string }, takenDown: TakenDown) =>
  takenDown.find(agent_url)
const ofEnrolment = (
  { url, health_check_url }: { url: string; health_check_url?: string },
  takenDown: TakenDown,
) => takenDown.findFirst([url, health_check_url ?? ''])
const ofFilters = (
  {
    domains = [],
    agents = [],
    ...more
  }: OperationOf<'subscription.create' | 'subscription.change'>,
  takenDown: TakenDown,
) => takenDown.findFirst(['url' in more ? more.url : '', ...domains, ...agents])
const ofMirror = (
  { content }: OperationOf<'mirror.publish' | 'mirror.propose'>,
  takenDown: TakenDown,
) =>
  takenDown.findFirst([
    ...content.publisher_domains,
    ...content.collections.map(({ publisher_domain }) => publisher_domain),
  ])

/** Finds what an operation names that was taken down, for each operation that can name a place. */
const finders: { [Op in OperationWithPlace]: Finder<Op> } = {
  'agent.credential.remove': accepted,
  'agent.credential.save': ofAgent,
  'agent.request.record': ofAgent,
  'badges.lapse': accepted,
  'brand.enrich': ofDomain,
  'brand.save': ofDomain,
  'brand.submit': ofDomain,
  'compliance.record': ofAgent,
  'crawl.request': ofDomain,
  'dispute.file': ({ subject_value }, takenDown) => takenDown.find(subject_value),
  'domain.readmit': accepted,
  'domain.takedown': accepted,
  // Names that callers looked up are left out without a word, and so are some of many.
  'domains.add': ({ domains, why }, takenDown) =>
    why === undefined && domains.every(domain => takenDown.covers(domain))
      ? takenDown.findFirst(domains)
      : undefined,
  'entry.rollback': ofDomain,
  'held.drop': accepted,
  'held.release': accepted,
  'logo.save': ofDomain,
  'member.agent.enrol': ofEnrolment,
  'member.agent.remove': accepted,
  'member.agent.save': ofEnrolment,
  'mirror.propose': ofMirror,
  'mirror.publish': ofMirror,
  'monitoring.change': ofAgent,
  'organization.domain.add': ofDomain,
  'organization.domain.end': accepted,
  'organization.domain.exclude': accepted,
  'organization.domain.lose': accepted,
  'organization.domain.remove': accepted,
  'organization.domain.share': accepted,
  // A person may found one whatever the mailbox: it does not get the domain (accounts/founding.ts).
  'organization.found': accepted,
  'origin.claim': ofDomain,
  'origin.verify': ofDomain,
  'ownership.cancel': accepted,
  'ownership.issue': ofDomain,
  'ownership.settle': ofDomain,
  'ownership.take': ofDomain,
  // Its subject is what an identity provider calls a person.
  'person.enter': accepted,
  'property.contribute': ({ contributed }, takenDown) =>
    takenDown.findFirst(contributed.map(({ identifier }) => identifier.value)),
  'property.save': ofDomain,
  'storyboard.record': ofAgent,
  'subscription.change': ofFilters,
  'subscription.create': ofFilters,
  'watch.begin': ({ subject }, takenDown) => takenDown.find(subject),
}

/** Refuses submissions about a place that was taken down; returns the refusals by submission. */
export function refuseTakenDown(
  submissions: readonly Submission[],
  takenDown: TakenDown,
): Map<string, Refusal> {
  const refused = new Map<string, Refusal>()
  for (const { submission_id, operation } of submissions) {
    const find = (finders as Record<string, Finder<Operation['op']> | undefined>)[operation.op]
    const found = find?.(operation, takenDown)
    if (found !== undefined)
      refused.set(submission_id, { refused: `the domain ${found} was taken down` })
  }
  return refused
}
