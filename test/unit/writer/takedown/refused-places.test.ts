import { describe, expect, test } from 'vitest'
import { Operation, type Submission } from '../../../../pipeline/model/submission.ts'
import { refuseTakenDown } from '../../../../pipeline/writer/takedown/refused-places.ts'
import { TakenDown } from '../../../../pipeline/writer/takedown/takedown-list.ts'

const takenDown = new TakenDown(['gone.example'])
const domain = 'sub.gone.example'
const url = 'https://sales.gone.example:8443/mcp'
const health = { url: 'https://sales.example/mcp', health_check_url: url }
const mirror = (publisher_domains: string[], publisher_domain: string) => ({
  content: { publisher_domains, collections: [{ publisher_domain, entry: {} }] },
})

/** Each way in which something about a place is submitted, with what names it. */
const refused: Record<string, readonly object[]> = {
  'agent.credential.save': [{ agent_url: url }],
  'agent.request.record': [{ agent_url: url }],
  'brand.enrich': [{ domain }],
  'brand.save': [{ domain }],
  'brand.submit': [{ domain }],
  'compliance.record': [{ agent_url: url }],
  'crawl.request': [{ domain }],
  'dispute.file': [{ subject_value: domain }],
  'domains.add': [{ domains: [domain, 'gone.example'] }],
  'entry.rollback': [{ domain }],
  'logo.save': [{ domain }],
  'member.agent.enrol': [{ url }, health],
  'member.agent.save': [{ url }, health],
  'mirror.propose': [mirror([domain], 'stays.example'), mirror([], domain)],
  'mirror.publish': [mirror([domain], 'stays.example'), mirror([], domain)],
  'monitoring.change': [{ agent_url: url }],
  'organization.domain.add': [{ domain }],
  'origin.claim': [{ domain }],
  'origin.verify': [{ domain }],
  'ownership.issue': [{ domain }],
  'ownership.settle': [{ domain }],
  'ownership.take': [{ domain }],
  'property.contribute': [{ contributed: [{ identifier: { type: 'domain', value: domain } }] }],
  'property.save': [{ domain }],
  'storyboard.record': [{ agent_url: url }],
  'subscription.change': [{ domains: [domain] }, { agents: [url] }],
  'subscription.create': [{ url }, { domains: ['stays.example', domain] }, { agents: [url] }],
  'watch.begin': [{ subject: domain }, { subject: url }],
}

/** Operations that only end something, or change the list itself. */
const accepted = [
  'agent.credential.remove',
  'badges.lapse',
  'domain.readmit',
  'domain.takedown',
  'held.drop',
  'held.release',
  'member.agent.remove',
  'organization.domain.end',
  'organization.domain.exclude',
  'organization.domain.lose',
  'organization.domain.remove',
  'organization.domain.share',
  'organization.found',
  'ownership.cancel',
  'person.enter',
]

const PLACES =
  /^(agents?|agent_urls?|content|contributed|domains?|email_domain|founding|subject|subject_value|.*url)$/

function refuse(op: string, fields: object) {
  const submission = { submission_id: 'one', operation: { op, ...fields } }
  return refuseTakenDown([submission as unknown as Submission], takenDown).get('one')
}

describe('an operation about a place that was taken down', () => {
  test('is refused or known to end something, whichever operation names a place', () => {
    const placed = Operation.options
      .filter(({ shape }) => Object.keys(shape).some(field => PLACES.test(field)))
      .map(({ shape }) => shape.op.value)
    expect(placed.sort()).toEqual([...Object.keys(refused), ...accepted].sort())
  })

  test.each(
    Object.entries(refused).flatMap(([op, all]) => all.map(fields => [op, fields] as const)),
  )('%s of %j names what was taken down', (op, fields) => {
    expect(refuse(op, fields)).toEqual({ refused: 'the domain gone.example was taken down' })
    const elsewhere = JSON.parse(JSON.stringify(fields).replaceAll('gone.example', 'here.example'))
    expect(refuse(op, elsewhere)).toBeUndefined()
  })

  test('is accepted where callers looked it up, or only some of many were taken down', () => {
    expect(refuse('domains.add', { domains: [domain], why: 'demanded' })).toBeUndefined()
    expect(refuse('domains.add', { domains: [domain, 'here.example'] })).toBeUndefined()
  })

  test.each(accepted)('%s is accepted', op => {
    expect(refuse(op, { domain, domains: [domain], agent_url: url, url })).toBeUndefined()
  })
})
